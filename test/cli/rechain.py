"""Rewrite a journal under a chain that verifies: what only an attack, or another
version, would have written.

	rechain.py FILE sub OLD NEW    in every line
	rechain.py FILE add EVENTS     one more line
"""
import hashlib
import sys

path, verb = sys.argv[1:3]
lines = open(path, encoding="utf-8").read().split("\n")[:-1]
if verb == "sub":
    lines = [line.replace(sys.argv[3], sys.argv[4]) for line in lines]
else:
    head = lines[-1].partition(',"events":')[0]
    seq = len(lines)
    head = head.replace('"seq":%d,' % seq, '"seq":%d,' % (seq + 1))
    lines.append(head + ',"events":' + sys.argv[3] + ',"chain":')
chain = "0" * 64
with open(path, "w", encoding="utf-8") as out:
    for line in lines:
        line = line.rpartition(',"chain":')[0].partition(',"mac":')[0]
        chain = hashlib.sha256((chain + line).encode()).hexdigest()
        out.write('%s,"chain":"%s"}\n' % (line, chain))
