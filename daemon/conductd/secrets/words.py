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
    "passwort", "kennwort", "passwörter?", "zugangspasswort", "(?:wlan|wi-?fi)[ -]?schlüssel", "wachtwoord", "lösenord",
    "adgangskode", "passord", "netzwerkschlüssel", "wpa[23]?[ -]?(?:schlüssel|key|passphrase|password)",
    "(?:wi-?fi|network)[ -]key", "clé (?:wi-?fi|réseau|wpa2?)",
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
    "recovery[ _-]?key", "client[ _-]?secret", "app[ _-]?secret", "secret",
    "(?:access|auth|api|bearer|bot|refresh)[ _-]?token", "token", "bearer", "pw", "pass", "psk", "wpa2?", "wep",
    "api-?schlüssel", "zugangsschlüssel", "wiederherstellungsschlüssel", "geheimnis",
    "clé (?:api|secrète|privée|d'accès)", "jeton", "clave(?: api| secreta| privada)?", "chave(?: api)?",
    "chiave(?: api)?", "ключ(?: api)?",
    "токен", "مفتاح(?: api)?", "토큰", "密钥", "密鑰", "令牌", "api ?キー", "トークン",
    "シークレット", "アクセスキー",
)  # fmt: skip

# What follows these is one when it is made of digits.
CODES = (
    "pin(?:[ -]?(?:code|number|nummer))?",
    "(?:door|gate|alarm|entry|access|garage|lock|safe|key ?pad|building|security|locker|lift|elevator|" "lobby|vault"
    "|entrance|padlock|house|intercom|lockbox|key ?box|disarm)[ -]code", "(?:safe|lock) combination",
    "combination(?: lock)?", "puk", "cvv", "cvc",
    "(?:(?:haus|keller|wohnungs)?tür|tor|alarm|zugangs|garagen|schloss|safe|tresor|schlüsselbox|haus|"
    "einfahrts)-?code", "geheimzahl", "zahlenkombination",
    "code (?:secret|pin|d'accès|d'entrée|(?:de (?:la |l')|du |d')?(?:porte|portail|alarme|immeuble|"
    "garage|coffre|entrée|cave))", "digicode", "código (?:pin|secreto|segredo|d[aeo] (?:acc?es[sz]?o|entrada)|"
    "d(?:e la|el|a|o|e) (?:puerta|alarma|alarme|portal|portón|portão|porta|garaje|garagem|caja|cofre|"
    "edificio|prédio|trastero))",
    "codice (?:pin|di accesso|segreto|(?:del(?:la|lo)? |dell')(?:cancello|porta|portone|allarme|garage|"
    "cassaforte|ascensore))", "(?:deur|poort|kluis|toegangs)code", "(?:port|dörr|dør|larm)kod(?:e)?",
    "kod (?:do|od) (?:drzwi|bramy|domofonu|sejfu|alarmu)", "пин(?:-?код)?(?: карты| телефона)?", "pin(?:码|碼|コード)",
    "код (?:от )?(?:домофона|двери|доступа|ворот|сейфа|подъезда|калитки|сигнализации|замка)", "الرقم السري",
    "رمز (?:ال)?(?:دخول|باب|إنذار|pin)", "핀 ?번호", "门禁(?:密)?码", "门锁密码",
    "大门密码", "开门码", "暗証番号", "ドアコード", "暗证",
)  # fmt: skip

# Several in a row, each used once.
ONCE = (
    "(?:back ?up|recovery|rescue|emergency|scratch)[ _-]?codes?",
    "(?:backup|wiederherstellungs|notfall|ersatz)-?codes?", "codes? de (?:secours|récupération)",
    "códigos? de (?:respaldo|recupera(?:ción|ção)|reserva|backup)", "codici di (?:backup|recupero)",
    "(?:резервн|запасн)[а-я]{2} код[а-я]?",
    "备用(?:验证)?码", "恢复码", "備用碼", "(?:バックアップ|リカバリー?|復旧)コード",
    "رموز (?:النسخ )?الاحتياطي(?:ة)?", "(?:백업|복구) ?코드",
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
    "is(?: now| still)?", "was", "ist(?: jetzt| nun)?", "lautet", "war", "hei(?:ß|ss)t", "c'est",
    "est(?: maintenant)?", "es", "era", "é", "è", "jest", "to", "auf", "à", "as", "är", "er", "je", "sono",
    "هي", "هو",
    "है", "este",
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
    nonsense garbage whatever minimum maximum trivial complicated unchangeable rubbish joke irrelevant meaningless
    unicode ascii string boolean integer text field identical confidential obvious guessable rejected sticker
    label drawer fridge paper envelope birthday nickname kubernetes docker okta ldap github gitlab google apple
    icloud onedrive dropbox nextcloud microsoft authentik keycloak proton enpass
    pflicht pflichtfeld pflichtangabe mindestens höchstens kompliziert einfach unverändert chefsache hausnummer
    geschmackssache quatsch unsinn egal identisch vertraulich aushang rückfrage zettel aufkleber rückseite
    schublade kühlschrank ordner geburtstag geburtsdatum passwortmanager tresor keines keins niemandem
    obligatoire oublié identique confidentiel facultatif inchangé expiré périmé compliqué inutile demander voir
    étiquette coffre tiroir anniversaire
    obligatoria obligatorio olvidada olvidado pendiente secreta secreto confidencial sencilla sencillo misma
    mismo igual caducada vencida nueva vieja preguntar pedir cajón etiqueta obrigatória obrigatório esquecida
    mesma pendente nova velha etichetta dimenticata obbligatoria segreta
    обязателен обязательно неизвестен неизвестно спросить прежний старый новый простой сложный надёжный
    забыт изменён сменён сброшен секретный тайный верный неверный пустой нужен нет тот такой сохранён
    общий одинаковый смотри узнать наклейка сейф
    مطلوبة مطلوب سرية معروفة قديمة جديدة نفسها صحيحة خاطئة ضعيفة قوية اختيارية منسية لاحقا غير انظر محفوظة
    فارغة تغيرت الصبر قصيرة طويلة
"""
SAYS = frozenset(_SAYS.split())

SAYS_ENDINGS = (
    "ed", "ing", "able", "ible", "ful", "less", "ous", "ive", "ly", "ent", "ant", "ary", "ory", "ic", "al",
    "é", "ée", "lete", "лся",
    "lich", "isch", "iert",
    "oire", "ique", "iel", "oria", "orio", "ente", "cial", "ный", "ная", "ное", "ать", "ить", "ется",
)  # fmt: skip

NOUN_ENDINGS = ("keit", "heit", "ungen", "pflicht", "nummer", "datum", "name", "sache")

# The same in Chinese, sign by sign: what is about a secret, or makes a sentence.
SAYING_SIGNS = frozenset(
    "的了在是有无無没沒不未已同上下见見问問询詢待定改变變设設置存放管员員随隨机機默认認公开開强強制必填选選需要请請联聯系找看参參考照附件邮郵发發送保密码碼"
    "每日周月年更新换換过過期位个個字符长長度至少安全通用共享私人忘记記知道告诉訴查箱柜庫库文档檔笔筆本统統一初始临臨时時重置为為和与與或被由可以应該该能会會"
    "都家懂拿传傳供单單从從给給让讓再先后後前中内內外相关關功能登录錄账帐户戶号號验驗证證"
)

# What has a password: beside one of these also a plain word is taken for it.
PLACES = (
    "nas", "wi-?fi", "wlan", "router\\w*", "fritz!?box\\w*", "modem", "routeur", "serveur", "server\\w*",
    "vpn", "laptop\\w*", "notebook",
    "computer", "pc", "tablet", "ipad", "iphone", "phone", "handy\\w*", "printer", "drucker\\w*", "database",
    "datenbank", "db", "root", "admin", "guest", "gast\\w*", "network", "netzwerk\\w*", "netz", "e-?mail\\w*",
    "mail(?:box)?", "bank", "netflix", "spotify", "amazon", "google", "github", "gitlab", "nextcloud", "plex",
    "jellyfin", "home ?assistant", "ssh", "s?ftp", "smb", "postgres\\w*", "mysql", "redis", "mqtt", "grafana",
    "synology", "qnap", "camera", "kamera", "zip", "pdf", "hotspot", "portal\\w*", "account", "konto", "ordinateur",
    "téléphone", "réseau", "imprimante", "compte", "ordenador", "teléfono", "impresora", "cuenta", "computador",
    "conta", "ruter", "роутер\\w*", "вай-?фай\\w*", "сет[иь]", "ноутбук\\w*", "почт\\w*", "компьютер\\w*",
    "сервер\\w*",
)  # fmt: skip
WIDE_PLACES = (
    "路由器", "无线", "無線", "电脑", "電腦", "服务器", "邮箱", "ルーター", "ネットワーク", "サーバー?", "パソコン",
    "واي ?فاي", "الشبكة", "راوتر", "الحاسوب", "와이파이", "공유기", "서버", "네트워크",
)  # fmt: skip

# A line about entering somewhere has one of these.
ENTERING = (
    "password\\w*", "passwd", "pass ?phrase", "pass ?code", "pwd", "pw", "pass", "passwort\\w*", "kennwort",
    "wachtwoord", "lösenord", "mdp", "mot de passe", "contrase[ñn]a", "clave", "senha", "hasło", "heslo", "şifre",
    "parola", "пароль\\w*", "log(?:ging)? ?in", "login", "logon", "sign in", "username", "user", "admin", "root",
    "credentials?", "creds", "anmelde\\w*", "einlogg\\w*", "entsperr\\w*", "unlock", "zugangsdaten",
    "benutzer(?:name)?", "connecter", "connexion", "identifiants?", "usuario", "iniciar sesión", "utente", "войти",
    "входа", "логин", "inlogg\\w*",
)  # fmt: skip
WIDE_ENTERING = (
    "密码", "密碼", "口令", "登录", "登錄", "登入", "账号", "帐号", "帳號", "用户名", "解锁", "パスワード", "ログイン",
    "サインイン", "كلمة", "الدخول", "비밀번호", "로그인", "סיסמה",
)  # fmt: skip

# The quick look for them. (A test holds them to the words.)
ENTERING_HINTS = (
    "pass", "pwd", "pw", "kennw", "wachtw", "lösen", "mdp", "contrase", "clave", "senha", "hasł", "heslo", "şifre",
    "parol", "пароль", "логин", "log",
    "sign", "user", "admin", "root", "cred", "anmelde", "entsperr", "unlock", "zugang",
    "benutzer", "conne", "identifiant", "usuario", "sesión", "utente", "войти", "входа", "密", "口令", "登", "号", "帳",
    "用户", "解锁", "パスワード", "イン", "كلمة", "الدخول", "비밀", "로그인", "סיסמה",
)  # fmt: skip

# What a code opens.
DOORS = (
    "safe", "vault", "tresor",
    "(?:haus|keller|wohnungs)?tür", "(?:front |back )?door", "gate", "garage", "alarm", "key ?box",
    "lock ?box", "padlock", "locker", "portail", "porte", "coffre", "puerta", "portón", "cancello", "portone",
    "cassaforte", "kluis", "deur", "дверь", "сейф", "домофон", "ворота", "大门", "保险箱", "门禁", "金庫", "玄関",
)  # fmt: skip

# Words that only a sentence has, not a row of words that is a secret.
_JOINS = """
    the and for with that this your our you not from are was were has have can must should will its they them
    und der die das ist nicht für mit von les des une est pour avec los las una por para con que не для
    is needs need words word usage use used uses characters character written stored kept see ask paper must
    easy hard long short requires required contains four five six twelve im steht liegt siehe auf dem braucht
    wörter dans sur mots voir en está palabras хранится слов
"""
JOINS = frozenset(_JOINS.split())

# A sentence about a secret has one of these: the quick look before the slow one. (A test holds them to the words.)
HINTS = (
    "pass", "pwd", "kennw", "wlan", "wachtw", "lösen", "adgangs", "mdp", "contrase", "senha", "parol", "hasł", "hasl",
    "şifre", "heslo", "jelsz", "sandi", "khẩu", "парол", "κωδικ", "סיסמ", "كلمة", "رمز", "पास", "비밀", "암호",
    "密", "口令",
    "パス", "合言葉", "key", "secret", "token", "bearer", "pw", "psk", "wpa", "wep", "schlüssel", "geheim", "clé ",
    "jeton", "clave", "chave", "chiave", "ключ", "токен", "مفتاح", "토큰", "令牌", "キー",
    "トークン", "シークレット", "pin", "code",
    "combination", "puk", "cvv", "cvc", "kombination", "códig", "codice", "пин", "код", "الرقم", "핀", "门",
    "暗", "ドア",
    "phrase", "mnemonic", "frase", "助", "log in", "login", "cred", "zugang", "anmelde", "identifiant", "учётн", "kod",
    "codici", "备用", "恢复码", "備用", "コード", "رموز", "코드",
    "大门", "логин", "账号", "帳號", "ログイン", "بيانات",
)  # fmt: skip
