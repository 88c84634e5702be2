"""The words that sentences about secrets are made of, in the languages memory is written in.

Only words: how they are put together is `sentences`. A word stands in one list only, the most certain one.
"""

from __future__ import annotations

# "mot de passe wifi": what it is for stands behind it, without a word between.
_OF_WHAT = r"(?: (?!(?:d[ueao]|del|pour|para|est|es|era|é|par|a|por|no|da)\b)[\w-]{2,20})?"

# What follows these is a secret when it can be one at all.
PASSWORDS = (
    # en
    "password", "passwd", "pass ?phrase", "pass ?code", "pass ?word", "pwd",
    # de, nl, sv, da, no
    "passwort", "kennwort", "passwörter?", "zugangspasswort", "wlan-?schlüssel", "wachtwoord", "lösenord",
    "adgangskode", "passord",
    # fr, es, pt, it, pl, tr, cs, hu, ro, id, vi
    rf"(?:mot de passe|mdp|contrase[ñn]a|senha){_OF_WHAT}", "palavra-passe", "parola d'ordine", "hasło",
    "haslo", "şifre", "parola", "heslo", "jelszó", "kata sandi", "mật khẩu",
    # ru, uk, el, he, ar, fa, hi, ko
    "пароль", "κωδικός πρόσβασης", "סיסמ(?:ה|א|ת)", "كلمة (?:ال)?(?:مرور|سر)", "رمز عبور", "पासवर्ड", "비밀번호",
    "암호",
    # zh, ja
    "密码", "密碼", "口令", "パスワード", "パスコード", "パスフレーズ", "合言葉",
)  # fmt: skip

# What follows these is one only when it looks like one: they mean other things as well.
KEYS = (
    "api[ _-]?key", "access[ _-]?key", "secret[ _-]?key", "private[ _-]?key", "license[ _-]?key",
    "licence[ _-]?key", "product[ _-]?key", "encryption[ _-]?key", "master[ _-]?key",
    "recovery[ _-]?(?:key|code)", "backup[ _-]?code", "client[ _-]?secret", "app[ _-]?secret", "secret",
    "(?:access|auth|api|bearer|bot|refresh)[ _-]?token", "token", "bearer", "pw", "pass", "psk", "wpa2?", "wep",
    "api-?schlüssel", "zugangsschlüssel", "wiederherstellungs(?:code|schlüssel)", "geheimnis",
    "clé (?:api|secrète|privée|d'accès)", "jeton", "clave(?: api| secreta| privada)?", "chave(?: api)?",
    "chiave(?: api)?", "ключ(?: api)?",
    "токен", "مفتاح(?: api)?", "토큰", "密钥", "密鑰", "令牌", "api ?キー", "トークン",
    "シークレット", "アクセスキー",
)  # fmt: skip

# What follows these is one when it is made of digits.
CODES = (
    "pin(?:[ -]?(?:code|number|nummer))?",
    "(?:door|gate|alarm|entry|access|garage|lock|safe|key ?pad|building|security)[ -]code",
    "(?:safe|lock) combination", "combination(?: lock)?", "puk", "cvv", "cvc",
    "(?:tür|tor|alarm|zugangs|garagen|schloss|safe)-?code", "geheimzahl", "zahlenkombination",
    "code (?:secret|pin|d'accès|de la porte|d'entrée|du portail|de l'alarme)", "digicode",
    "código (?:de (?:acceso|la puerta|la alarma)|pin|secreto)", "código de acesso",
    "codice (?:pin|di accesso|segreto)", "пин(?:-?код)?", "код (?:домофона|двери|доступа)", "الرقم السري",
    "رمز (?:ال)?(?:دخول|باب|إنذار|pin)", "핀 ?번호", "门禁码", "门锁密码", "开门码", "暗証番号", "ドアコード", "暗证",
)  # fmt: skip

# A few words that are the secret together.
PHRASES = (
    "pass ?phrase", "seed phrase", "recovery phrase", "mnemonic(?: phrase)?", "secret phrase", "passphrase",
    "wiederherstellungsphrase", "phrase (?:secrète|de récupération)", "frase (?:semilla|de recuperación)",
    "助记词", "助記詞",
)  # fmt: skip

# A name and a secret together.
LOGINS = (
    "log ?in", "credentials?", "creds", "zugangsdaten", "anmeldedaten", "identifiants", "credenciales",
    "credenciais", "credenziali", "учётные данные", "логин", "账号", "帳號", "ログイン情報", "بيانات الدخول",
)  # fmt: skip

# Between the word and the secret: what it is for.
FOR = (
    "for", "of", "to", "on", "from", "at", "in", "für", "vom", "zum", "zur", "von", "des", "der", "im", "am",
    "pour", "de", "du", "d'", "del", "para", "da", "do", "per", "di", "voor", "van", "til", "för", "для", "от",
    "к", "на", "ل", "لل",
)  # fmt: skip

IS = (
    "is(?: now| still)?", "was", "ist(?: jetzt)?", "lautet", "war", "est(?: maintenant)?", "es", "era", "é",
    "è", "jest", "to", "auf", "à", "as", "är", "er", "هي", "هو", "है", "este",
)  # fmt: skip

# After "is" these say something about the secret, not what it is.
_SAYS = """
    a about above active again all also always an and another any at available bad being below blank both
    broken by case changed clear compromised correct default deprecated different disabled due either empty
    enabled encoded encrypted enough exactly expired fine for forgotten from generated given good gone handled
    hashed he her here hers hidden his how if important in incorrect inside invalid it its just kept known
    leaked least less like listed local locked long lost managed mandatory maybe me mine missing more most
    much my necessary needed never new next no nobody none not nothing now null of off ok okay old on once one
    only optional or our out outdated over owned pending per personal please private probably prompted
    protected public random read ready redacted removed required reset revoked rotated safe same saved secret
    secure see seen sent set shared short similar simple so some something somewhere sorry still stored strong
    such supplied than that the their them then there these they this those to today tomorrow too true
    unchanged under unique unknown unset until up upper used useful useless valid very via weak weekly what
    when where which who why with within without working written wrong yes yesterday you your yours bitwarden
    lastpass keepass keepassxc vaultwarden dashlane keychain vault admin administrator anonymous user username
    abgelaufen aktuell alt anders beim bekannt das dem den der die ein eine einer falsch fehlt für geheim
    gespeichert geändert gesperrt gültig hier im immer jetzt kein keine lang leer mein mit nach neu nicht noch
    nur nötig richtig schwach sicher stark unbekannt und ungültig unter vergessen von weg wie zu zurückgesetzt
    le la les un une des dans du au aux chez avec pour par pas plus enregistré changé connu inconnu faux sûr
    trop el los las uno una en con por para muy guardada cambiada correcta incorrecta o os as um uma na com
    não
"""
SAYS = frozenset(_SAYS.split())

SAYS_ENDINGS = ("ed", "ing", "able", "ible", "ful", "less", "ous", "ive", "ly", "ent", "ant", "ary", "ory", "ic", "al")

# Words that only a sentence has, not a row of words that is a secret.
_JOINS = """
    the and for with that this your our you not from are was were has have can must should will its they them
    und der die das ist nicht für mit von les des une est pour avec los las una por para con que не для
"""
JOINS = frozenset(_JOINS.split())

# A sentence about a secret has one of these: the quick look before the slow one. (A test holds them to the words.)
HINTS = (
    "pass", "pwd", "kennw", "wlan", "wachtw", "lösen", "adgangs", "mdp", "contrase", "senha",
    "parol", "hasł", "hasl", "şifre", "heslo", "jelsz", "sandi", "khẩu", "парол", "κωδικ", "סיסמ",
    "كلمة", "رمز", "पास", "비밀", "암호", "密", "口令", "パス", "合言葉", "key", "secret", "token", "bearer",
    "pw", "psk", "wpa", "wep", "schlüssel", "geheim", "clé ", "jeton", "clave", "chave", "chiave",
    "ключ", "токен", "مفتاح", "토큰", "令牌", "キー", "トークン", "シークレット", "pin", "code", "combination",
    "puk", "cvv", "cvc", "kombination", "códig", "codice", "пин", "код", "الرقم", "핀", "门", "暗",
    "ドア", "phrase", "mnemonic", "frase", "助", "log in", "login", "cred", "zugang", "anmelde",
    "identifiant", "учётн", "логин", "账号", "帳號", "ログイン", "بيانات",
)  # fmt: skip
