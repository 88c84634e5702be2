"""From a quiet file to an answer: the judge thread, incidents, notices, repairs."""
