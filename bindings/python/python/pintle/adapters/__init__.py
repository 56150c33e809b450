"""Hooks around the tool calls of agent frameworks. Each module is for one of them, and needs it installed."""
