"""What a report measures: frozen records of numbers, sentences and pictures, without a word of HTML."""
