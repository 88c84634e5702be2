"""What an agent's own loader would inject into its context, computed exactly as it computes it.

Pure: texts in, texts and figures out. One module per loader; the versions at which a loader changed are data.
"""
