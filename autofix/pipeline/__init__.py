"""The stages of a run, in order; the only package that knows them all. It acts through the doors it is given.

`order` what a run is told and given, `workspace` trees with their sandboxes, `attempt` one fix task put together,
`run` the stages, `publish` what every end leaves behind.
"""
