"""The words that stand-ins for "the rest" are made of, by what they do in the sentence.

Owns the vocabulary alone; `core.losses.elision` is the grammar. A star ends a stem ("unveränder*"). Scripts that
write no spaces (and Korean) are phrases, found one after the other, the longest first.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache


class Part(StrEnum):
    """What a word does: ``rest`` names what is left ("the other", "existing"), ``noun`` what it is of
    ("sections", "code"), ``same`` that it stays or was left out, ``more`` a number of it, ``change`` and
    ``not`` together what ``same`` is, ``gone`` that it is no longer there or is somewhere else."""

    REST = "rest"
    NOUN = "noun"
    SAME = "same"
    MORE = "more"
    CHANGE = "change"
    NOT = "not"
    GONE = "gone"
    FILL = "fill"


_WORDS: dict[Part, str] = {
    Part.REST: """
        rest remainder remaining other others existing earlier previous previously prior above below preceding
        following
        original originals old older everything else current before
        restlich* rest übrig* sonstig* ander* andere bestehend* bisherig* vorhanden* vorherig* früher* obig* unten
        oben
        reste restant* autre autres existant* précédent* antérieur* ancien* suite
        resto restante* demás otro otros otra otras existente* anterior* previo* previa* previos previas actual
        actuales
        demais outro outros outra outras restantes resto atual atuais
        restant* altri altre altro altra esistent* precedent* attual*
        overige overig bestaande vorige eerdere andere huidige resterende
        дальше далее остальн* остаток прочи* прочее существующ* предыдущ* прежн* ранее выше ниже текущ* оставш*
        kalan kalanı geri gerisi geriye diğer mevcut önceki yukarıdaki aşağıdaki
        बाकी शेष मौजूदा पिछला पिछली पिछले अन्य पहले
        بقية باقي الباقي باقى المتبقي المتبقية الموجود الموجودة الحالي الحالية السابق السابقة سابق الأخرى أعلاه
        أدناه سائر
        بقیه مابقی قبلی موجود
        reszta pozostał* istniejąc* poprzedni* inne wcześniejsz*
        resten övrig* befintlig* tidigare øvrig* eksisterende tidligere zbytek ostatní stávající předchozí
        решта інш* попередн* наявн* loput muut aiemm* υπόλοιπο υπόλοιπα sisanya selebihnya lainnya còn lại phần שאר
        יתר הקיים
        """,
    Part.NOUN: """
        content contents file files section sections entry entries note notes memory memories rule rules code text
        texts line lines
        document documents docs list lists table item items bullet bullets paragraph paragraphs part parts data
        material body page
        instructions settings configuration config history log logs record records row rows heading headings chapter
        chapters
        function functions method methods implementation class classes points facts details information preferences
        tasks
        stuff things steps
        kapitel
        inhalt inhalte inhalts datei dateiinhalt abschnitt* eintrag einträge einträgen notiz notizen regel regeln
        zeile zeilen
        liste punkt punkte punkten dokument teil teile absatz absätze tabelle speicher gedächtnis stelle stellen
        contenu contenus fichier section sections entrée entrées règle règles ligne lignes texte liste élément
        éléments
        partie parties paragraphe* mémoire
        contenido contenidos archivo fichero sección secciones entrada entradas nota notas regla reglas línea líneas
        texto textos
        lista elemento elementos documento memoria parte partes párrafo*
        conteúdo conteúdos arquivo ficheiro seção secção seções secções regra regras linha linhas item itens memória
        código
        contenut* sezione sezioni voce voci nota regola regole riga righe testo elenco documento codice memoria
        parti
        inhoud bestand sectie secties notitie notities regel regels tekst lijst onderdelen document
        содержимое содержимого содержание файл* раздел* запис* замет* правил* строк* текст* спис* пункт* код* часть
        памят*
        içerik içeriği içerikler dosya* bölüm* notlar kayıt* kural* satır* metin girdi* liste
        सामग्री फ़ाइल फाइल भाग अनुभाग प्रविष्टि प्रविष्टियाँ प्रविष्टियां नोट नोट्स नियम पाठ सूची कोड
        المحتوى محتوى المحتويات محتويات الملف ملف النص نص القسم الأقسام أقسام الملاحظات ملاحظات المدخلات الإدخالات
        القواعد قواعد
        الأسطر القائمة العناصر البنود الكود محتوا فایل متن
        treść zawartość plik* sekcj* wpis* notat* reguł* lini* innehåll* filen avsnitt indhold* obsah soubor*
        вміст файлу sisältö περιεχόμενο αρχείο isi berkas konten nội dung תוכן הקובץ
        """,
    Part.SAME: """
        unchanged unmodified untouched unaltered unedited intact same identical stay stays stayed remain remains
        remained keep keeps alten
        kept retain* preserve* omit* truncat* abbreviat* elid* elision skip* snip snipped continue* asis verbatim
        shown ditto
        idem collapsed abridged brevity
        unverändert* bleib* gleich* identisch* ausgelassen* weggelassen* gekürzt* beibehalten* erhalten behalten
        bisher zuvor vorher
        gehabt unberührt* übersprungen* unangetastet* kürze ebenso
        inchangé* identique* même mêmes demeur* conserv* omis omise* tronqué* abrégé* reste restent intact*
        inaltéré* brièveté
        igual iguales mism* permanec* queda quedan mantien* mantenid* sigue siguen conserv* omitid* omite* truncad*
        inalterad*
        intact* brevedad
        mesm* iguais mantid* mantém mantêm continua continuam fica ficam brevidade abreviad*
        invariat* ugual* stess* rimang* rimane resta restano omess* immutat* inalterat* mantenut* brevità
        ongewijzigd* onveranderd* blijft blijven hetzelfde zelfde gelijk weggelaten behouden ingekort voorheen
        неизмен* остается остаётся остаются оставл* прежнему прежнем раньше прежде пропущен* опущен* сокращ* сохран*
        değişmedi değişmeden değişmemiştir aynı aynen aynısı kalır kalıyor kalsın korun* atlandı kısaltıldı
        अपरिवर्तित वैसा वैसी वैसे वही यथावत समान पूर्ववत छोड़ा छोड़ी छोड़े छोड़
        كما نفسه نفسها يبقى تبقى يظل تظل للاختصار اختصارا مختصر تم_الاحتفاظ
        همان‌طور نیست
        niezmien* bez_zmian oförändrad* oförändrat uændret uendret beze_změny nezměněn* незмін* ennallaan muuttumat*
        αμετάβλητ*
        tetap giữ nguyên נשאר נותר
        """,
    Part.MORE: """
        more further additional another weitere weiterer mehr plus más mas mais altri meer ещё еще daha और المزيد
        others etc usw
        """,
    Part.CHANGE: """
        change changes changed changing modification modifications modified edit edits edited edit touch touched
        alter altered update
        updates updated difference differences
        änderung änderungen geändert verändert verändern angepasst modification modifications modifié modifiée
        modifiés modifiées
        changement changements cambio cambios modificado modificados modificación alteração alterações alterado
        alterados mudança
        mudanças modifica modifiche modificato modificati cambiamenti wijziging wijzigingen gewijzigd veranderd
        изменений изменения изменено изменены изменился изменилось меняется değişiklik değiştirilmedi değişti बदलाव
        परिवर्तन बदला
        تغيير تغييرات تعديل تعديلات يتغير تتغير تغییر تغییری zmian zmiany zmieniono ändring ändringar ændringer
        endringer změn změny
        зміни змін muutoksia αλλαγές berubah perubahan thay đổi שינוי שינויים
        """,
    Part.NOT: """
        no not none without never nothing nor don't doesn't didn't hasn't haven't nicht keine kein keinerlei nichts
        ohne sans aucun
        aucune pas sin ningún ninguna sem nenhum nenhuma senza nessun nessuna non geen zonder niet без не нет ни yok
        olmadan
        नहीं बिना कोई دون بدون لم لا بلا بدونِ ندارد bez nie utan inga uden ingen uten ingen beze žádné без не ei
        ilman χωρίς tidak
        tanpa không ללא לא
        """,
    Part.GONE: """
        condensed compressed compacted distilled trimmed shortened folded rolled struck kondensiert komprimiert
        gestrichen
        condensé* résumé* resumid* condensad* riassunt* samengevat сжат* обобщ* özetle*
        removed remove deleted delete dropped pruned archived archive moved merged cleaned cleanup obsolete outdated
        deprecated
        see refer link wiki lives live stored expired superseded replaced consolidated summarised summarized summary
        migrated lost
        gelöscht entfernt verschoben archiviert archiv siehe bereinigt veraltet ersetzt zusammengefasst
        supprimé* déplacé* archivé* voir obsolète* remplacé* fusionné*
        eliminado* eliminada* borrado* borrada* movido* movida* archivado* véase ver obsoleto* reemplazad*
        removido* removida* apagado* apagada* excluído* arquivado* veja obsoletos
        eliminat* rimoss* spostat* archiviat* vedi sostituit*
        verwijderd verplaatst gearchiveerd zie vervangen
        удален* удалён* перемещ* архив* см смотри устарев* заменен*
        silindi taşındı arşiv* bkz kaldırıldı
        हटाया हटाए हटाई देखें
        حذف حذفت نقل نقلت أرشيف الأرشيف انظر راجع محذوف
        usunięt* przeniesion* zobacz borttag* flyttad* fjernet slettet smazán* přesunut* видален* переміщен*
        poistettu dihapus
        """,
    Part.FILL: """
        a an the of in is are be as it was were they them for from to this that these those and or all any every
        each with at on
        still just left here there place please goes go insert paste your my our its their like than have has been
        will do does so far
        then exactly exact way up by now only also both rest's
        bis beim
        der die das des dem den ein eine einer ist sind wie und hier so alle alles allem von aus im in am zu zum zur
        es sie noch
        genau nur auch wurde wurden platz werden wird halber platzgründen
        le la les l du de des d un une est sont ici comme avant tel telle tels quel telles ci dessus dessous et à au
        aux tout tous
        toutes en ne cette ce pour par
        el los las del está están como y lo que aquí se todo toda todos todas al por para este esta así su
        o os as do da dos das uma é são com aqui no na nos nas e ao à isso tudo
        il lo gli i della dello dei delle degli è sono qui tutto tutti tutte come per brevità dal del di e
        het een van zijn zoals en hier alle de blijft alles
        и в на как все всё это же для из с остальное по
        ve gibi olduğu olarak şekilde bu için kısmı kısım tüm tümü ile
        का की के है हैं को में यह सब ही जैसा जैसे हुआ गया रखा गया
        من في هذا هذه كل مع و هو هي على إلى ال جميع دون أي أيّ
        w jest są i jak alla är och som er det je jsou a та є ja on cũ các tất cả dan yang של את כל
        """,
}

_PHRASES: dict[Part, str] = {
    Part.REST: """
        中间 中間 往后 往後
        其余 其他 其它 剩余 剩下 原有 现有 已有 之前 以上 以下 此处 上述 原来 先前 既有 旧 後面 后面 前面 余下 后续
        其餘 剩餘 現有 原來 舊 此處 後續 上面 下面
        ここから先 この先 この後 ここから下 残り 残 既存 その他 他 以前 前回 従来 元 上記 下記 以降 以外
        나머지 이하 이상 기존 이전 아래 위 다른 남은
        """,
    Part.NOUN: """
        节 章 節 这部分 這部分 内容 文件 部分 条目 笔记 记录 规则 章节 文本 代码 段落 列表 记忆 项目 文档 段 行 条
        內容 檔案 條目 筆記 記錄 規則 章節 文字 程式碼 代碼 清單 記憶 文檔 條
        ファイル 項目 エントリー エントリ メモ ルール 記述 セクション コード テキスト 記録 本文 リスト 箇所 文書
        記憶 件
        내용 파일 항목 부분 메모 섹션 규칙 코드 텍스트 목록 기록 줄 개 기억
        """,
    Part.SAME: """
        一样 一樣 没动 没动过 没有动过 没有动 没变 没有变 没改 没有改 沒動 沒變 不用改 照抄 原封不动
        保持不变 维持不变 不变 未变 未更改 未修改 未改动 无变化 没有变化 无改动 无更改 没有更改 无变动 省略 从略
        略去 中略 后略 前略 下略 略 同上 同前 相同 一致
        保持原样 原样 不作修改 保留 照旧 如旧 维持 保持 如前 不动
        保持不變 維持不變 不變 後略 未變 無變化 沒有變化 無變更 未變更 原樣 照舊 維持
        触っていません 触っていない 変えていません 変えていない いじっていない 変わりない 変わりありません
        のまま まま 変更なし 変更無し 変更ありません 変更はありません 変わりません 変わらず 変わらない 変化なし
        変更せず 同じ
        同様 そのまま 据え置き
        変更点なし
        변경없음 변경사항없음 변경되지않 변경하지않 변함없 변화없 동일 생략 유지 그대로 같음 같습니다
        """,
    Part.MORE: "还有 更多 另有 還有 另外 ほか さらに 더 외",
    Part.GONE: """
        压缩 精简 总结 归纳 壓縮 精簡 總結 要約 圧縮 まとめ 요약 압축
        删除 已删 移至 移到 移动 归档 参见 参阅 见 清理 合并 刪除 移動 歸檔 參見 見 整理 統合 削除 アーカイブ 参照
        삭제 이동 보관 참조 정리
        """,
    Part.FILL: """
        跟 从 起 到 至 第 這
        的 与 和 为 了 均 都 全部 所有 同 此 处 等 是 与之 和之 因 篇幅 限 已 在 这里 這裡 與 為 個 个 处 全文 将 會
        会 按
        の は が も と を に で です ます する しました した します 前 全て すべて 全部 ここに ここ あり なので ため
        分 通り とおり
        은 는 이 가 의 을 를 과 와 모두 합니다 됩니다 됨 함 입니다 습니다 여기 에 들 로 전부 하게 했음 음 다 과
        """,
}


def _stems(texts: dict[Part, str]) -> tuple[dict[str, Part], dict[str, Part]]:
    """(whole words, stems) with their parts; a word of two parts is the earlier one of `Part`."""
    whole: dict[str, Part] = {}
    stems: dict[str, Part] = {}
    for part in Part:
        for word in texts.get(part, "").split():
            for piece in word.split("_"):
                target = stems if piece.endswith("*") else whole
                target.setdefault(piece.rstrip("*"), part)
    return whole, stems


_WHOLE, _STEMS = _stems(_WORDS)
_LONGEST_STEM = max(map(len, _STEMS))
_SHORTEST_STEM = min(map(len, _STEMS))
_BY_PHRASE = {phrase: part for part in reversed(Part) for phrase in _PHRASES.get(part, "").split()}
_PHRASE = re.compile("|".join(sorted(map(re.escape, _BY_PHRASE), key=len, reverse=True)))


@lru_cache(maxsize=16_384)
def part_of_word(word: str) -> Part | None:
    """The part of a case-folded word of a script with spaces; None: a word of its own meaning."""
    found = _WHOLE.get(word)
    if found is not None:
        return found
    for length in range(min(len(word), _LONGEST_STEM), _SHORTEST_STEM - 1, -1):
        found = _STEMS.get(word[:length])
        if found is not None:
            return found
    return None


def parts_of_run(run: str) -> list[Part | None]:
    """The parts of a run of characters of a script without spaces; None for each character that is in no phrase."""
    found: list[Part | None] = []
    at = 0
    for match in _PHRASE.finditer(run):
        found += [None] * (match.start() - at)
        found.append(_BY_PHRASE[match[0]])
        at = match.end()
    return found + [None] * (len(run) - at)
