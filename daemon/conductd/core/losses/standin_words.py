"""The words that say that nothing is said: data for `core.losses.standins`."""

from __future__ import annotations

import re

from conductd.core.reading.text import words

# An entry made of these words alone says nothing, however long it is: "No changes needed",
# "(the rest of the file remains the same)", "NO_REPLY", "Nothing to add to memory".
_EMPTY_TEXT = """
a above add added all and any anything are as at be been before below blank by change changed changes content
contents current date do done dummy earlier empty entries entry everything existing false file files following for
from gone have here heartbeat in is it kept left lorem ipsum memories memory missing modification modifications
modified n na nan need needed needs new nil no none not note notes nothing null of ok okay old omitted on only or
original other placeholder previous remain remains remaining remember removed reply report reported required rest
same save saved section sections see session stay stays still stub sample store stored tbd text that the there these
this to todo true truncated unchanged undefined unmodified up update updated updates was were with write x xx xxx
yet success successful successfully complete completed done acknowledged ack understood sure got eof void finished
object keine keiner keines änderung änderungen nichts leer unverändert wie zuvor bisher der die das datei inhalt
neuer eintrag bleibt gleich fertig erledigt hecho listo terminé feito pronto fatto klaar готово tamam تم aucun
aucune rien vide inchangé sin cambios nada vacío ninguno ninguna لا شيء يوجد تغيير تغييرات فارغ
"""
EMPTY_WORDS = frozenset(_EMPTY_TEXT.split())
# Of what else a sentence is made that denies that there is anything ("Nichts Neues zu speichern"); a word of the second
# list must be in it.
_BESIDE_TEXT = """
information info worth should must found learned useful relevant important this time today
neues neue neuen neuer neu weiteres weitere weiter zu nötig notwendig erforderlich speichern merken notieren
aktualisieren ändern hinzufügen hinzuzufügen aktualisierung aktualisierungen tun es gibt gab wurde wurden gespeichert
geändert notiz notizen punkt punkte informationen
nouveau nouvelle nouvelles enregistrer modifier ajouter à changements changement modification modifications nécessaire
entrée entrées il y a de pas n informations
nuevo nueva nuevos nuevas guardar que hay cambio necesario necesarios entrada añadir actualizar información
novo nova salvar há alteração alterações mudanças necessário necessária informação
nuovo nuova di salvare da modifica modifiche voce aggiungere informazione c è
nieuws op te slaan wijzigingen wijziging nodig nieuw nieuwe er
нового новая новых новой сохранять сохранить изменений изменения требуется запись информации
değişiklik gerek yeni kaydedilecek kayıt bir bilgi
جديد جديدة للحفظ للتحديث تحديث حاجة عنصر ملاحظة إدخال توجد معلومات
बदलाव नया नई प्रविष्टि
"""
_DENYING_TEXT = """
nothing no none nichts kein keine keinen keiner keinerlei entfällt rien aucun aucune nada ningún ninguno ninguna sin
nenhum nenhuma sem nulla niente nessun nessuna niets geen нет ничего yok شيء يوجد توجد कोई
"""
_NEW_PAIRS_TEXT = """
neue_notiz neuer_punkt nouvelle_entrée nouvelle_note nueva_entrada nueva_nota nova_entrada nova_nota nuova_voce
nuova_nota nieuw_item nieuwe_notitie новая_запись новая_заметка yeni_kayıt yeni_not नई_प्रविष्टि إدخال_جديد عنصر_جديد
ملاحظة_جديدة nowy_wpis ny_post
"""
NEW_PAIRS = frozenset(tuple(pair.split("_")) for pair in _NEW_PAIRS_TEXT.split())
BESIDE = frozenset(_BESIDE_TEXT.split()) | EMPTY_WORDS
DENYING = frozenset(_DENYING_TEXT.split())
_EMPTY_PHRASES = """
完成 已完成 好的 知道了 明白 了解 了解しました 完了 完了しました 承知しました 완료 완료했습니다 네 알겠습니다 无变化
没有变化 未变化 无更改 没有更改 不变 保持不变 无内容 無變化 沒有變化 略 省略 同上 新条目 空 無 无 変更なし
変更はありません 変化なし 特になし なし 以下同じ 以下省略 前と同じ 新規項目 변경없음 변경사항없음 없음
"""
# The same in scripts without spaces: phrases that nothing but such a sentence is made of, and those of which
# one must be in it. A sentence that begins with "do not" is an order.
_NOTHING_PHRASES = """
没有任何 没有 没 無需 无需 无须 不需要 不需 不必 不用 未发现 暂无 暂时没有 沒有 沒 不需更新 无 無 不变
なし ありません ございません ません ない 不要です 不要 無し 없음 없습니다 없어요 없다 않음 않습니다 불필요
"""
_ABOUT_PHRASES = """
需要 可以 值得 任何 新的 新增 新 要 可 有 再 的 了 也 内容 信息 东西 事项 条目 记录 笔记 更新 修改 变更 变化 改动 更改
变动 保存 写入 添加 记住 记忆 文件 本次 目前 暂时 內容 資訊 東西 事項 條目 記錄 筆記 變更 變化 改動 儲存 檔案 此次
新しい 新しく 新規 特に 追加 保存 記録 記憶 更新 変更 修正 編集 内容 項目 事項 情報 メモ 点 箇所 必要 今回 する
這次 这次 すべき べき こと もの は が を の に も て です ファイル 覚える 書く
새로운 새로 새 저장 할 하 기록 내용 것 이 가 은 는 을 를 변경 사항 업데이트 수정 필요 메모 항목 추가 정보 도
"""
_NEW_PHRASES = "新条目 新的条目 新條目 新笔记 新记录 新しい項目 新しいメモ 新規項目 新規メモ 새항목 새로운항목 새메모"
ORDERS = ("不要", "不必", "不用", "別", "别")
NOTHING = frozenset(_NOTHING_PHRASES.split())
NEW = frozenset(_NEW_PHRASES.split())
SAYING = re.compile(
    "|".join(map(re.escape, sorted({*NOTHING, *_ABOUT_PHRASES.split()}, key=lambda phrase: (-len(phrase), phrase))))
)
EMPTY_CHARACTERS = frozenset(tuple(words(phrase)) for phrase in _EMPTY_PHRASES.split())
