"""Words that carry no fact of their own, and those that turn one round: data for `core.comparing.wording`.

A word stands here when a note that drops it, or takes another of them, still says the same. Words that set
a time, an order or a limit (before, after, until, only) are none.
"""

from __future__ import annotations

FUNCTION_WORDS = frozenset(
    """
    a an the is are was were be been being am it its this that these those there here to of in on at by for from
    with as and or so then than into onto about please will would should could can may might must shall has have had
    having do does did just also very we you i he she they our your my his her their us them me who whom which what
    der die das den dem des ein eine einen einem einer eines ist sind war waren wird werden wurde wurden sein hat
    haben hatte hatten zu zum zur vom von im in am an auf bei beim mit für und oder als auch es sie er wir ihr ich du
    man sich dass noch schon soll sollen sollte muss müssen musste kann können darf dürfen bitte
    le la les l un une des du de d est sont était être et ou à au aux en dans sur par pour avec que qui ce cette ces
    il elle nous vous on se sa son ses y doit peut
    el los las una unos unas del es son era ser o al por para con su sus lo hay debe puede está están
    i gli uno di della dei delle è sono e alla nel nella per che si ci da dal
    os as um uma do dos das são em na nos nas ao pelo pela
    het een zijn van op te met voor dat er aan bij door om wordt worden ook
    och att det som för på av är den ett har ska skall
    w z na do się jest są to że ve bir bu için ile
    и в во на с со по для что как это из к ко у о об же бы от за при или а то
    من في على إلى الى عن مع هذا هذه ذلك التي الذي أن ان إن كان كانت هو هي ثم أو او قد كما
    ב על של את זה זו הוא היא עם או כי אל
    """.split()  # noqa: SIM905 - hundreds of literals are no easier to read
)

NEGATIONS = frozenset(
    """
    not never no cannot none neither nor without nicht nie niemals kein keine keinen keinem keiner keines ohne ne pas
    jamais aucun aucune sans nunca jamás ningún ninguna sin non mai nessun nessuna senza não nunca sem niet nooit geen
    zonder inte aldrig ingen inget nie не нет никогда нельзя без لا لم لن ليس ليست بدون دون لא לא אין בלי değil asla
    """.split()  # noqa: SIM905 - as above
)
CONTRACTED = frozenset(
    "don doesn didn isn aren wasn weren won couldn shouldn wouldn hasn haven hadn mustn needn".split()  # noqa: SIM905
)
"""What stands before the apostrophe of "don't": two tokens, "don" and "t"."""

QUANTIFIERS = frozenset(
    """
    all every each any alle allen aller alles jede jeder jedes jeden jedem tous toutes tout chaque todos todas todo
    cada tutti tutte ogni cada elke iedere все всех каждый каждая каждое كل جميع
    """.split()  # noqa: SIM905 - as above
)

PARTICLES = frozenset("的了着著过過吗嗎呢吧啊嘛地得之把被将將请請和与與及在是有於于也就都은는을를")
"""Characters of Chinese and Korean that stand for relations between words."""
NEGATIVE_CHARACTERS = frozenset("不没沒未勿禁")
NEGATIVE_ENDINGS = ("ない", "なか", "ません", "ずに", "なく")
"""Of Japanese verbs, in kana that are otherwise no content of a sentence with ideographs."""
