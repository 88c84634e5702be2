"""What programs tell people in sentences, and leave in place of a text: data for `core.losses.shapes`."""

from __future__ import annotations

import re

# What programs tell their users, in the words of several languages.
MESSAGE = re.compile(
    r"^\W{0,3}(?:"
    r"request interrupted\b|zeitüberschreitung|zugriff verweigert|verbindung (?:abgelehnt|unterbrochen|fehlgeschlagen)"
    r"|(?:die )?(?:anfrage|anforderung|verbindung) .{0,40}(?:zeitüberschreitung|fehlgeschlagen|abgelaufen|abgebrochen)"
    r"|(?:délai|temps) .{0,24}(?:dépassé|expiré)|accès refusé|connexion (?:refusée|interrompue|échouée)"
    r"|impossible (?:d['’]|de )(?:ouvrir|lire|charger|écrire|joindre|se connecter)"
    r"|tiempo de espera|se agotó el tiempo|acceso denegado|conexión (?:rechazada|interrumpida)"
    r"|no se pudo (?:abrir|leer|cargar|conectar|escribir)"
    r"|tempo (?:limite )?(?:esgotado|scaduto)|acesso negado|accesso negato|conexão recusada|connessione rifiutata"
    r"|não foi possível (?:abrir|ler|carregar|conectar|gravar)|impossibile (?:aprire|leggere|caricare|connettersi)"
    r"|(?:превышено )?время ожидания|доступ (?:запрещ|отклон)|соединение (?:сброшено|отклонено|прервано)"
    r"|не удалось (?:открыть|прочитать|загрузить|подключиться|записать|выполнить)"
    r"|(?:请求|連線|连接|网络|網路|操作|服务器?|伺服器).{0,8}(?:超时|逾時|失败|失敗|被拒绝|错误|錯誤|不可用|繁忙|过载)"
    r"|(?:无法|無法)(?:打开|开启|读取|连接|访问|写入|加载|找到|開啟|讀取|連線|存取)|权限不足|权限被拒绝|访问被拒绝|存取被拒"
    r"|(?:要求|接続|リクエスト|通信|サーバー|操作).{0,6}(?:タイムアウト|失敗|拒否|切断|エラー)"
    r"|(?:ファイル|サーバー|データ).{0,8}(?:開けません|見つかりません|読み込めません|接続できません|開けませんでした)"
    r"|アクセスが拒否|(?:요청|연결|네트워크).{0,6}(?:초과|실패|거부|오류)|액세스가 ?거부|접근이 ?거부"
    r"|(?:파일|서버).{0,8}수 ?없(?:습니다|음)"
    r"|(?:انتهت|تجاوز) (?:مهلة|المهلة)|تم رفض (?:الوصول|الاتصال)|تعذ[ّ]?ر (?:فتح|قراءة|الاتصال|الوصول|تحميل)"
    r"|فشل (?:الطلب|الاتصال|فتح)"
    r"|(?:istek|bağlantı) .{0,20}(?:zaman aşımı|reddedildi|başarısız)|erişim (?:engellendi|reddedildi)"
    r"|(?:verzoek|verbinding) .{0,24}(?:verlopen|mislukt|geweigerd)|toegang geweigerd"
    r"|अनुरोध .{0,20}(?:समय|विफल)|पहुँच अस्वीकृत"
    r")",
    re.I,
)
TRY_AGAIN = re.compile(
    r"(?:\bplease (?:try|retry)(?: again)?(?: later| in .{1,24})?|\btry again later"
    r"|\b(?:später|noch ?mals?|noch einmal|erneut)\b.{0,24}\bversuchen"
    r"|\bversuchen sie es .{0,16}(?:erneut|später|nochmals?)"
    r"|\bréessay(?:er|ez)(?: plus tard)?|\b(?:inténtelo|inténtalo|intente|vuelva a intentarlo).{0,24}"
    r"|\btente novamente(?: mais tarde)?|\briprova(?:re)?(?: più tardi)?|\bprobeer het .{0,16}opnieuw"
    r"|\bповторите (?:попытку|запрос).{0,16}|\bпопробуйте (?:ещё|еще|снова|позже).{0,12}|\btekrar dene(?:yin|yiniz)"
    r"|请?(?:稍后|稍候|过一会儿?|過一會兒?|稍後)(?:再|重新)?(?:试|試|重试|重試|尝试)(?:一次)?"
    r"|(?:もう一度|再度|後で|あとで|しばらく).{0,14}(?:お試し|試して|やり直して)(?:ください|下さい)?|다시 ?시도.{0,8}"
    r"|(?:حاول|المحاولة|أعد المحاولة) (?:مرة أخرى|مجدد[اً]+|لاحق[اً]+).{0,12}|(?:पुनः|फिर से) (?:प्रयास|कोशिश).{0,12}"
    r")\W*$",
    re.I,
)
# What a client leaves that freed the space: the file is kept elsewhere.
OFFLINE = re.compile(
    r"^\W{0,3}(?:"
    r"(?:this|the) (?:file|document|item|content)(?: is| was| has|['’]s| isn| hasn)\b.{0,24}?"
    r"\b(?:online|in the cloud|cloud[- ]only|offloaded|dehydrated"
    r"|(?:not|n['’]t)(?: yet)?(?: been)? (?:downloaded|synced|available offline|stored (?:locally|on this)"
    r"|on this device))\b"
    r"|(?:diese|die) datei (?:ist|liegt|steht|wurde|befindet sich)\b.{0,24}"
    r"\b(?:online|cloud|nicht (?:lokal|heruntergeladen|offline|geladen))\b"
    r"|(?:ce|le) fichier\b.{0,40}(?:en ligne|cloud|pas (?:encore )?(?:été )?téléchargé|hors (?:connexion|ligne))"
    r"|(?:este|el) archivo\b.{0,40}(?:en línea|nube|no se ha descargado|sin conexión)"
    r"|(?:este|o) (?:arquivo|ficheiro)\b.{0,40}(?:online|nuvem|não foi (?:baixado|transferido)|offline)"
    r"|(?:questo|il) file\b.{0,40}(?:online|cloud|non è stato scaricato|offline)"
    r"|(?:dit|het) bestand\b.{0,40}(?:online|cloud|niet gedownload|offline)"
    r"|(?:этот )?файл\b.{0,40}(?:в интернете|онлайн|облаке|не (?:загружен|скачан))"
    r"|(?:此|该|該|這個|这个|本)?(?:文件|檔案|文档|文檔).{0,12}(?:联机|在线|云端|雲端|線上|聯機|未下载|未下載|未同步|脱机|離線)"
    r"|(?:この)?ファイルは.{0,12}(?:オンライン|クラウド|ダウンロードされて|同期されて|オフライン)"
    r"|이? ?파일은.{0,12}(?:온라인|클라우드|다운로드|오프라인)"
    r"|(?:هذا )?الملف.{0,40}(?:الإنترنت|السحابة|لم يتم تنزيل|دون اتصال)"
    r"|bu dosya\b.{0,40}(?:çevrimiçi|bulutta|indirilmedi|çevrimdışı)|(?:यह|इस) फ़ाइल.{0,30}(?:ऑनलाइन|क्लाउड)"
    r")",
    re.I,
)
