"""The languages of the corpus, by name."""

from corpus.languages.ar import ARABIC
from corpus.languages.de import GERMAN
from corpus.languages.en import ENGLISH
from corpus.languages.ja import JAPANESE
from corpus.languages.language import Fact, Language
from corpus.languages.mixed import MIXED
from corpus.languages.zh import CHINESE

LANGUAGES: dict[str, Language] = {
    language.name: language for language in (ENGLISH, GERMAN, CHINESE, JAPANESE, ARABIC, MIXED)
}

__all__ = ["LANGUAGES", "Fact", "Language"]
