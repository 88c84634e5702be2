"""Names of months, small numbers in words, and what says that a number is an hour: data for
`core.comparing.wording`.
"""

from __future__ import annotations

_MONTHS = """
january jan januar janvier enero gennaio janeiro januari января январь يناير
february feb februar février febrero febbraio fevereiro februari февраля февраль فبراير
march mar märz mrz mars marzo março maart марта март مارس
april apr avril abril aprile апреля апрель أبريل ابريل
may mai mayo maggio maio mei maj мая май مايو
june jun juni juin junio giugno junho июня июнь يونيو
july jul juli juillet julio luglio julho июля июль يوليو
august aug août agosto augustus augusti августа август أغسطس اغسطس
september sep sept septembre septiembre settembre setembro сентября сентябрь سبتمبر
october oct oktober okt octobre octubre ottobre outubro октября октябрь أكتوبر اكتوبر
november nov novembre noviembre novembro ноября ноябрь نوفمبر
december dec dezember dez décembre diciembre dicembre dezembro декабря декабрь ديسمبر
"""
MONTHS = {name: number for number, names in enumerate(_MONTHS.strip().split("\n"), 1) for name in names.split()}

_NUMBERS = """
two zwei deux dos due dois twee два اثنان
three drei trois tres tre três drie три ثلاثة ثلاث
four vier quatre cuatro quattro quatro четыре أربعة أربع
five fünf cinq cinco cinque vijf пять خمسة خمس
six sechs seis sei zes шесть ستة ست
seven sieben sept siete sette sete zeven семь سبعة سبع
eight acht huit ocho otto oito восемь ثمانية ثماني
nine neun neuf nueve nove negen девять تسعة تسع
ten zehn dix diez dieci dez tien десять عشرة عشر
eleven elf onze once undici одиннадцать
twelve zwölf douze doce dodici doze twaalf двенадцать
"""
NUMBERS = {name: str(number) for number, names in enumerate(_NUMBERS.strip().split("\n"), 2) for name in names.split()}
for _month in ("sept", "dez"):  # months first: as numbers they are of one language, as months of several
    NUMBERS.pop(_month, None)
NUMBERS.pop("once", None)  # an English word

OCLOCK = frozenset({"uhr", "h", "o", "clock", "heures", "часов", "時", "时", "点", "點", "시"})
"""After a number: it is an hour. ("o'clock" is two tokens.)"""
