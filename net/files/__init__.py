"""Networks as users write them: parameters, readers and writers of files, pictures."""
