"""The words that headings, boxes and labels are told by, in the languages they are known in. Data; the examples in
docs/bootcard.md are among them, held by a test."""

from __future__ import annotations

ACTIVE = (
    "active", "in progress", "in-progress", "wip", "current", "currently", "ongoing", "doing", "now", "focus",
    "working on", "aktiv", "in arbeit", "laufend", "aktuell", "derzeit", "jetzt", "läuft", "actif", "en cours",
    "actuel", "actuellement", "maintenant", "activo", "activa", "activas", "activos", "en curso", "en progreso",
    "en marcha", "actual", "ahora", "ativo", "ativa", "em andamento", "em curso", "atual", "agora", "attivo",
    "attiva", "attivi", "attività", "in corso", "attuale", "adesso", "actief", "bezig", "lopend", "huidig",
    "aktywne", "w toku", "bieżące", "teraz", "активные", "активно", "в работе", "в процессе", "текущие",
    "текущее", "сейчас", "активні", "в роботі", "поточні", "aktif", "devam eden", "şu an", "güncel", "进行中",
    "進行中", "当前", "目前", "正在", "活跃", "當前", "現在", "作業中", "対応中", "実施中", "アクティブ",
    "진행 중", "진행중", "현재", "작업 중", "نشط", "نشطة", "قيد التنفيذ", "قيد العمل", "جارية", "الحالية",
    "حاليا", "الآن", "פעיל", "בתהליך", "כרגע", "सक्रिय", "जारी", "वर्तमान", "चालू",
)  # fmt: skip

OPEN = (
    "todo", "to do", "to-do", "todos", "open", "open items", "open questions", "next", "next step",
    "next steps", "next action", "next actions", "next up", "waiting for", "waiting on", "pending", "blocked",
    "blocked by", "follow up", "follow ups", "follow-up", "follow-ups", "action items", "actions", "unfinished",
    "unresolved", "tomorrow", "remaining", "left to do", "offen", "offene", "offene punkte", "zu tun",
    "zu erledigen", "nächste schritte", "nächster schritt", "als nächstes", "nächstes", "warten auf",
    "warte auf", "wartet auf", "blockiert", "unerledigt", "noch offen", "ausstehend", "aufgaben", "morgen",
    "à faire", "a faire", "prochaines étapes", "prochaine étape", "ensuite", "en attente", "en attente de",
    "bloqué", "ouvert", "points ouverts", "demain", "restant", "pendiente", "pendientes", "por hacer",
    "próximos pasos", "próximo paso", "siguiente", "siguientes pasos", "esperando", "a la espera de",
    "bloqueado", "abierto", "mañana", "tareas", "a fazer", "próximos passos", "próximo passo", "aguardando",
    "em aberto", "amanhã", "tarefas", "da fare", "prossimi passi", "prossimo passo", "in attesa",
    "in attesa di", "aperto", "in sospeso", "domani", "te doen", "volgende stappen", "volgende stap",
    "wachten op", "openstaand", "geblokkeerd", "do zrobienia", "następne kroki", "następny krok", "czeka na",
    "czekam na", "otwarte", "zablokowane", "jutro", "сделать", "что сделать", "открытые", "открытые вопросы",
    "следующие шаги", "следующий шаг", "далее", "ждём", "ждем", "жду", "ожидание", "ожидает", "заблокировано",
    "завтра", "задачи", "зробити", "наступні кроки", "чекаємо", "завдання", "yapılacak", "yapılacaklar",
    "sonraki adım", "sonraki adımlar", "bekliyor", "bekleyen", "açık", "待办", "待辦", "未完成", "下一步",
    "接下来", "接下來", "等待", "待处理", "待處理", "待定", "阻塞", "明天", "やること", "未完了", "未解決",
    "次の作業", "次のステップ", "次に", "次回", "待ち", "保留", "明日", "残り", "할 일", "할일", "다음",
    "다음 단계", "대기", "대기 중", "미완료", "미해결", "보류", "내일", "للعمل", "مهام مفتوحة", "المهام",
    "مهام", "معلق", "معلقة", "الخطوة التالية", "الخطوات التالية", "التالي", "في انتظار", "بانتظار", "غدا",
    "לעשות", "משימות", "פתוח", "פתוחים", "הצעד הבא", "ממתין", "ממתינים", "מחר", "करना है", "अगला", "अगले कदम",
    "अगला कदम", "लंबित", "प्रतीक्षा", "कल",
)  # fmt: skip

# What an item may begin with that says the same without a colon.
WAITING = (
    "waiting for", "waiting on", "still to do", "need to", "warten auf", "warte auf", "noch offen",
    "en attente de", "il faut", "esperando", "a la espera de", "falta", "aguardando", "in attesa di",
    "wachten op", "czekam na", "ждём", "ждем", "жду", "чекаємо", "待办", "待辦", "等待", "下一步", "待ち",
    "대기", "في انتظار", "بانتظار", "ממתין", "प्रतीक्षा",
)  # fmt: skip

DONE = (
    "done", "completed", "finished", "closed", "resolved", "archive", "archived", "cancelled",
    "canceled", "dropped", "shipped", "inactive", "paused", "past", "erledigt", "fertig", "abgeschlossen",
    "archiv", "gelöst", "geschlossen", "inaktiv", "fait", "faits", "terminé", "terminés", "terminée",
    "terminées", "fini", "clos", "résolu", "hecho", "hechos", "hechas", "terminado", "completado",
    "completadas", "completados", "cerrado", "resuelto", "archivo", "feito", "feitas", "concluído",
    "concluídas", "concluídos", "resolvido", "arquivo", "fatto", "fatti", "completato", "completati", "chiuso",
    "risolto", "klaar", "gedaan", "afgerond", "gesloten", "zrobione", "ukończone", "zakończone", "сделано",
    "готово", "завершено", "завершённые", "завершенные", "закрыто", "архив", "зроблено", "tamamlandı", "bitti",
    "yapıldı", "已完成", "完成", "已解决", "已解決", "已关闭", "归档", "歸檔", "完了", "済み", "済", "解決済み",
    "アーカイブ", "완료", "완료됨", "끝남", "해결됨", "보관", "منجز", "منجزة", "مكتمل", "مكتملة", "تم",
    "منتهية", "أرشيف", "הושלם", "בוצע", "סגור", "ארכיון", "पूर्ण", "पूरा", "समाप्त",
)  # fmt: skip

IDENTITY = (
    "identity", "who i am", "who am i", "about me", "persona", "role", "my role", "about you", "who you are",
    "user", "about the user", "my human", "the human", "owner", "who i work for", "working for", "identität",
    "wer ich bin", "über mich", "rolle", "meine rolle", "für wen ich arbeite", "benutzer", "wer du bist",
    "identité", "qui je suis", "à propos de moi", "rôle", "utilisateur", "qui tu es", "identidad", "quién soy",
    "sobre mí", "rol", "usuario", "quién eres", "identidade", "quem sou", "sobre mim", "papel", "usuário",
    "identità", "chi sono", "su di me", "ruolo", "utente", "identiteit", "wie ik ben", "over mij", "gebruiker",
    "tożsamość", "kim jestem", "o mnie", "użytkownik", "личность", "кто я", "обо мне", "роль", "пользователь",
    "хто я", "про мене", "kimlik", "ben kimim", "kullanıcı", "身份", "我是谁", "我是誰", "关于我", "關於我",
    "角色", "用户", "用戶", "私は誰", "私について", "自己紹介", "役割", "ユーザー", "정체성", "나는 누구",
    "나에 대해", "역할", "사용자", "الهوية", "من أنا", "عني", "الدور", "المستخدم", "זהות", "מי אני", "עליי",
    "תפקיד", "המשתמש", "पहचान", "मैं कौन हूँ", "मेरे बारे में", "भूमिका", "उपयोगकर्ता",
)  # fmt: skip

# What a sentence that says who somebody is begins with.
YOU_ARE = (
    "you are", "you're", "i am", "i'm", "your role is", "du bist", "sie sind", "ich bin", "deine rolle ist",
    "tu es", "vous êtes", "je suis", "eres", "usted es", "soy", "você é", "eu sou", "tu sei", "lei è",
    "io sono", "je bent", "jij bent", "u bent", "ik ben", "jesteś", "jestem", "ты —", "вы —", "ты -", "вы -",
    "ты являешься", "вы являетесь", "я —", "ти —", "ви —", "sen bir", "ben bir", "你是", "您是", "我是",
    "あなたは", "私は", "당신은", "너는", "나는", "أنت", "أنا", "אתה", "את", "אני", "आप", "तुम", "मैं",
)  # fmt: skip

# Labels of a field (`Name: …`) that say most of who somebody is.
LABELS = (
    "name", "what to call them", "call them", "call me", "role", "creature", "vibe", "pronouns", "timezone",
    "time zone", "language", "languages", "location", "job", "works for", "owner", "human", "purpose",
    "mission", "rufname", "rolle", "zeitzone", "sprache", "aufgabe", "beruf", "ort", "zweck", "nom", "prénom",
    "rôle", "fuseau horaire", "langue", "métier", "nombre", "rol", "zona horaria", "idioma", "trabajo", "nome",
    "papel", "fuso horário", "ruolo", "fuso orario", "lingua", "naam", "tijdzone", "taal", "imię",
    "strefa czasowa", "język", "имя", "роль", "часовой пояс", "язык", "ім'я", "ad", "isim", "saat dilimi",
    "dil", "姓名", "名字", "名称", "角色", "时区", "時區", "语言", "語言", "称呼", "名前", "氏名", "役割",
    "タイムゾーン", "言語", "이름", "역할", "시간대", "언어", "الاسم", "الدور", "المنطقة الزمنية", "اللغة",
    "שם", "תפקיד", "אזור זמן", "שפה", "नाम", "भूमिका", "समय क्षेत्र", "भाषा",
)  # fmt: skip

STATUS = (
    "status", "state", "current state", "zustand", "stand", "aktueller stand", "statut", "état", "état actuel",
    "estado", "estado actual", "estado atual", "stato", "toestand", "stan", "статус", "состояние", "стан",
    "durum", "状态", "狀態", "当前状态", "状態", "現状", "상태", "الحالة", "מצב", "סטטוס", "स्थिति",
)  # fmt: skip

NEXT = (
    "next", "next action", "next actions", "next step", "next steps", "nächster schritt", "nächste schritte",
    "nächste aktion", "als nächstes", "prochaine étape", "prochaines étapes", "prochaine action",
    "próximo paso", "próximos pasos", "siguiente paso", "próxima acción", "próximo passo", "próximos passos",
    "próxima ação", "prossimo passo", "prossimi passi", "volgende stap", "następny krok", "следующий шаг",
    "следующие шаги", "наступний крок", "sonraki adım", "下一步", "次のステップ", "次の作業", "다음 단계",
    "الخطوة التالية", "הצעד הבא", "अगला कदम",
)  # fmt: skip

# In a QC log: what says that something was found.
FINDING = (
    "fail", "failed", "fails", "failure", "failures", "error", "warn", "warning", "warnings", "attention",
    "escalate", "escalated", "escalation", "escalations", "needs you", "problem", "issue", "issues", "missing",
    "truncated", "not ok", "red", "yellow", "fehler", "fehlgeschlagen", "warnung", "eskalation", "fehlt",
    "échec", "échoué", "erreur", "avertissement", "escalade", "problème", "manquant", "fallo", "falló",
    "fallido", "advertencia", "aviso", "escalado", "problema", "falta", "falha", "falhou", "erro", "fallito",
    "errore", "avviso", "mislukt", "fout", "waarschuwing", "błąd", "ostrzeżenie", "niepowodzenie", "ошибка",
    "сбой", "не пройдено", "предупреждение", "помилка", "hata", "başarısız", "uyarı", "失败", "失敗", "错误",
    "錯誤", "警告", "升级", "问题", "問題", "エラー", "不合格", "要対応", "실패", "오류", "경고", "문제", "فشل",
    "خطأ", "تحذير", "تصعيد", "مشكلة", "נכשל", "שגיאה", "אזהרה", "विफल", "त्रुटि", "चेतावनी",
)  # fmt: skip
FINDING_SIGNS = "❌✗✘⚠🔴🟡🟠⛔🚨"
