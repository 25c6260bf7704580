"""What stands between the model's word and a deed: gate, scope, tools, redaction, context."""
