"""The day in one page, and the week: the same facts as Markdown, as HTML and as a few words for a chat."""
