"""Reads an archive with Debian's library and prints its events: usage ANCHOR."""

import sys

import otf2

with otf2.reader.open(sys.argv[1]) as archive:
    ranks = {}
    for location, event in archive.events:
        open_regions = ranks.setdefault(location.name, [])
        what, inside = type(event).__name__, open_regions[-1] if open_regions else "-"
        if what == "Enter":
            open_regions.append(event.region.name)
        elif what == "Leave":
            assert open_regions.pop() == event.region.name
        elif what == "MpiSend":
            print(location.name, event.time, inside, "sends", event.msg_length, "to", event.receiver, "tag", event.msg_tag, sep="|")
        elif what == "MpiRecv":
            print(location.name, event.time, inside, "receives", event.msg_length, "from", event.sender, "tag", event.msg_tag, sep="|")
    assert not any(ranks.values()), ranks
    print("resolution", archive.timer_resolution, sep="|")
