#!/bin/sh
# Installs the assemblers and the disk tool that the tests take as judges.
# Tests run without them too: they then say what they skip.
set -u
missing=
for t in acme ca65 cc1541; do
	command -v "$t" >/dev/null 2>&1 || missing="$missing $t"
done
if [ -z "$missing" ]; then
	echo "acme, ca65 and cc1541 are there"
	exit 0
fi
root=
[ "$(id -u)" = 0 ] || root=sudo
if command -v apt-get >/dev/null 2>&1; then
	$root apt-get update -qq && $root apt-get install -y -qq acme cc65 cc1541
elif command -v brew >/dev/null 2>&1; then
	brew install acme cc65 || exit 1
	command -v cc1541 >/dev/null 2>&1 || echo "cc1541 is not in Homebrew: build it from its own site if you want its tests"
else
	echo "no apt or brew here: install$missing by hand (packages acme, cc65, cc1541)" >&2
	exit 1
fi
