"""What a bash command would do, found without running anything.

    text --parser--> syntax tree --machine--> deeds            (programs/ says what each program does with its words)

`parser` asks two grammars and refuses where they differ. `machine` plays the shell: quoting, variables, functions,
loops, pipes, wrappers. `programs/` holds one table per kind of program. The result is a list of deeds (`deeds`):
write this path, run that text, talk to the network. Whether a deed is allowed is decided elsewhere (`rules.structure`).
"""
