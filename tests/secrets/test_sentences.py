"""Sentences that name a secret are seen in many languages; sentences about secrets are not."""

from __future__ import annotations

import time

import pytest

from conductd.secrets import words
from conductd.secrets.scan import masked, sightings
from conductd.secrets.sentences import sentences

HTTPS = "https:" + "//"
SECRETS = [
    "nas password is Example-Pass-4711",
    "the nas password is hunter2!",
    "Passwort für NAS: Sonne-2041",
    "Das Kennwort für das WLAN lautet Regen_Bogen77",
    "密码是 Abc12345!",
    "NAS的密码是Example-Pass-4711。",
    "パスワードはHana2041!です",
    "كلمة المرور هي Example-4711",
    "كلمة مرور الشبكة: Qamar#2041",
    "PIN 4711",
    "PIN: 4711",
    "The PIN for the garage is 9021",
    "door code 4711#",
    "mot de passe : Soleil-2041",
    "le mot de passe du NAS est Soleil2041",
    "contraseña: Luna2041!",
    "La contraseña del router es Luna2041!",
    "пароль от роутера: Zima2041!",
    "비밀번호는 Han2041!",
    "wifi password: `sunflower`",
    "the wifi password is sunflower",
    'password "swordfish"  ',
    "Router password: swordfish",
    "passphrase: correct horse battery staple",
    "login: admin / Summer2041!",
    "log in with anna and Summer2041!",
    "Summer2041! is the router password",
    "The password was changed to Summer2041!",
    "API key: abcd1234efgh5678",
    "export DB_PASSWORD=Tr0ub4dor",
    'api_key = "abcd1234efgh"',
    "token: 8f14e45fceea167a5a36dedd4bea2543",
    "暗証番号は4711",
    "密码：123456",
    "senha do wifi: Praia2041",
    "| router | password | Summer2041! |",
    "**Password:** Summer2041!",
    "Password for anna@example.org: Summer2041!",
    "hasło: Zima2041",
    "סיסמה: Kayitz2041",
    "seed phrase: witch collapse practice feed shame open despair creek road again ice least",
    "Safe combination: 12-34-56",
    "use the pin code 4711 at the back door",
    "wachtwoord is Zomer2041",
    "the router's password = Zx9-kkw2",
    "Router admin pw: Zx9kkw2!",
    "PW: Zx9kkw2!",
    "The alarm code is 2580",
    "alarm code: 2580#",
    "Türcode: 2580",
    "code de la porte : 2580B",
    "código de la puerta: 2580",
    "safe combination: 12-34-56",
    "пароль — Zima2041!",
    "пароль: Zima2041!",
    "пин-код 4711",
    "비밀번호: han2041!",
    "Wi-Fi密码：sunny2041",
    "wifi 密码 sunny2041",
    "家里门禁码是 4711",
    "Wi-Fiのパスワードは「hana2041」です",
    "パスワード：hana2041",
    "暗証番号：4711",
    "رمز الدخول: 4711",
    "الرقم السري هو 4711",
    "password (NAS): Zx9kkw2!",
    "the nas password, in case you need it, is Zx9kkw2!",
    'passwort lautet "sonnenblume"',
    "mot de passe wifi : `tournesol`",
    "NAS_PASSWORD=Zx9kkw2",
    '"password": "Zx9kkw2!"',
    "password=Zx9kkw2",
    "--password Zx9kkw2!",
    "my bank PIN is 4711, do not tell anyone",
    "client_secret: 9fA-83jd-kk2",
    "Bearer 9fA83jdkk2ZZ81xx",
    "Token für den Bot: 9fA83jdkk2",
    "clé API : 9fA83jdkk2",
    "密钥: 9fA83jdkk2",
    "user: admin, password: Zx9kkw2!",
    "The password for the NAS at home is Zx9kkw2!",
    "password for nas is: Zx9kkw2!",
]

NO_SECRETS = [
    "password manager is Bitwarden",
    "ask Anna for the password",
    "password is stored in 1Password",
    "passwordless login",
    "the password policy requires 12 characters",
    "rotate the token weekly",
    "The password is in the vault",
    "password: see 1Password",
    "password: <your password>",
    "Password: ********",
    "password: $NAS_PASSWORD",
    "password is at least 12 characters",
    "password is 12 characters long",
    "the password must be 8-16 characters",
    "max_tokens: 4096",
    "token budget is 200k",
    "token: 4096",
    "context tokens: 12k/128k",
    "the secret is patience",
    "the key is persistence",
    f"secret: see {HTTPS}vault.example.org/nas",
    "the API key is in ~/.config/app/key.txt",
    "api key: stored in keychain",
    "API key: OPENAI_API_KEY",
    "Set the password in .env",
    "the password is wrong",
    "password reset link expires in 24 h",
    "Passwort ist in Bitwarden gespeichert",
    "Das Passwort wurde am 2026-03-08 geändert",
    "Passwort: siehe 1Password",
    "密码管理器是 Bitwarden",
    "密码保存在 1Password 里",
    "不要把密码写进记忆",
    "パスワードは1Passwordに保存",
    "パスワードは毎月変更する",
    "كلمة المرور محفوظة في Bitwarden",
    "mot de passe : dans le coffre",
    "le mot de passe est trop court",
    "la contraseña está en el gestor",
    "PIN 13 of the header drives the LED",
    "Pin the note about 2041 entries",
    "pinned 4711 entries",
    "Anna's birthday is 1984-03-02",
    "the door code changes monthly",
    "error code: 4711",
    "the token expires after 3600 s",
    "password hashing uses bcrypt12",
    "passwords are hashed with SHA-256",
    "Login with GitHub",
    "credentials: in 1Password",
    "login: anna",
    "Password for the wiki: ask Anna",
    "the passphrase is required for signing commits",
    "The password prompt is case-sensitive",
    "password is case-sensitive",
    "session token: refreshed daily",
    "Bearer token auth is used by the API",
    "password is unchanged",
    "the combination of tea and cake works well",
    "secret santa is 2026-12-06",
    "Anna works as the password administrator",
    "nas password rotated on 2026-03-01",
    "he reset the password to something longer",
    "The PIN must have 6 digits",
    "the token is rotated every 90 days",
    "user password field is 255 characters",
    "Passwort-Manager: KeePassXC",
    "The password manager's vault is at ~/vault.kdbx",
    "password.txt was deleted",
    "the word password: 8 letters",
    "He prefers passwords over passkeys",
    "token: see .env",
    "The token count is 4711",
    "tokens used: 18234",
    "key decisions: use Postgres15",
    "secret: none",
    "access key is required for S3",
    "Password: n/a",
    "password: (see 1Password)",
    "password: changeme",
    "- password: string, required",
    "password field: input type=password",
    "The password is stored under op://Private/nas/password",
    "密码是强制的",
    "密码是什么",
    "密码需要12位",
    "パスワードは8文字以上",
    "パスワードは12文字以上にする",
    "비밀번호는 12자 이상",
    "пароль в менеджере паролей",
    "пароль должен быть не короче 12 символов",
    "PIN 2 and PIN 3 are swapped on the board",
    "GPIO pin: 17",
    "pin: numpy==1.26.4",
    "Pin version 3.11.4 in CI",
    "code 4711 means timeout",
    "the building code is from 1998",
    "security code review on 2026-03-04",
    "the secret to good bread is 72h-fermentation",
    "Passwort: wird monatlich geändert",
    "password rotation: every 90 days",
    "pass: 12, fail: 3",
    "tests pass in 4m12s",
    "secret key: rotated 2026-03-01",
    "bearer of bad news: Tom",
    "Use token-based auth",
    "password hash: $2b$12$abcdefghijklmnopqrstuv",
    "credential helper: osxkeychain",
    "login at 9:30, logout at 17:00",
    f"login: {HTTPS}nas.local:5001",
    "Kennwort vergessen? Anna fragen",
    "contraseña: ver gestor",
    "password is long enough",
    'The password is "required"',
    "A pass from Anna is valid until 2026-05-01",
    "secret ballot is on 2026-05-04",
    "the api token is stored as GITHUB_TOKEN",
]


@pytest.mark.parametrize("names", [words.PASSWORDS, words.KEYS, words.CODES, words.PHRASES, words.LOGINS])
def test_every_word_is_met_by_the_quick_look(names: tuple[str, ...]) -> None:
    missed = [name for name in names if not any(hint in name.replace(" ?", " ") for hint in words.HINTS)]
    assert not missed


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_seen(text: str) -> None:
    assert list(sentences(text))


@pytest.mark.parametrize("text", NO_SECRETS)
def test_what_is_only_about_secrets_is_not(text: str) -> None:
    assert sightings(text) == []


@pytest.mark.parametrize(
    "text", [text for text in SECRETS if "Zx9kkw2" in text or "Summer2041" in text or "Example-" in text]
)
def test_the_mask_covers_it(text: str) -> None:
    left = masked(text)
    assert not any(each in left for each in ("Zx9kkw2", "Summer2041", "Example-"))
    assert "[secret]" in left


@pytest.mark.parametrize(
    "text",
    [
        "password " * 900,
        "password is " * 700,
        "password for " + "a " * 4_000,
        " " * 8_000 + ":",
        "passphrase: " + "abc " * 2_000,
        "密码" * 4_000,
        "pin pin-code " * 600,
        "token:" * 1_300,
        "x is the " * 800,
    ],
    ids=range(9),
)
def test_no_text_takes_long(text: str) -> None:
    started = time.thread_time()
    sightings(text)
    assert time.thread_time() - started < 2
