"""Verbs that may stand for each other whatever the note is about: data for `core.comparing.entry_facts`.

A verb stands here when it only says that something is made use of; what is done with it otherwise ("clean the printer")
is another rule.
"""

from __future__ import annotations

_USE = """
use uses used using take takes taken taking utilise utilize employ apply
nutze nutzen nutzt genutzt benutze benutzen benutzt nehme nehmen nimmt genommen nimm verwende verwenden verwendet
gebrauchen gebraucht
utiliser utilise utilisez utilisé prendre prends prenez employer emploie employez
usar usa usan use utilizar utiliza emplear emplea utilice
usare utilizzare utilizza usato utilizzato usado utilizado utilize
gebruik gebruikt gebruiken neem neemt nemen
использовать используй используйте используется применять применяй бери берите брать
استخدم استخدام يستخدم نستخدم استعمل استعمال يستعمل
kullan kullanın kullanılır kullanılmalı
"""
SAME = dict.fromkeys(_USE.split(), "use") | {"使": "用", "采": "用", "採": "用"}
