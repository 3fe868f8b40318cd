"""Facts -> results: decisions, figures, curves, pairs, check figures. No plan, no engine, no Ray."""
