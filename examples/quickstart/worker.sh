#!/bin/sh
# A worker that needs no model: it knows the twelve tasks of tasks.md by heart.
#
# What it relies on is all that any worker may: the task's name in $PAWL_NODE,
# a prompt on standard input, and the current directory to work in.  It makes
# one mistake: the first `longest` forgets a last line without a newline.  Only
# when the prompt tells what the check said about that does it do better.
set -eu
prompt=$(cat)
sleep "${QUICKSTART_PAUSE:-0.5}" # so that the board has something to show

case $PAWL_NODE in
survey | review)
	# Reading is the work; the check decides.
	cat src/*.[ch] test/run.sh test/cases/*.txt >/dev/null
	;;

lines)
	cat >src/lines.c <<'C'
#include "tally.h"

unsigned long
tally_lines(const char *text, size_t len)
{
	unsigned long lines = 0;

	for (size_t i = 0; i < len; i++)
		if (text[i] == '\n' || i + 1 == len)
			lines++;
	return lines;
}
C
	;;

words)
	cat >src/words.c <<'C'
#include <ctype.h>

#include "tally.h"

unsigned long
tally_words(const char *text, size_t len)
{
	unsigned long words = 0;
	int inside = 0;

	for (size_t i = 0; i < len; i++) {
		int is_blank = isspace((unsigned char)text[i]) != 0;

		words += !is_blank && !inside;
		inside = !is_blank;
	}
	return words;
}
C
	;;

longest)
	last=
	case $prompt in
	*"gave "*", wanted "*) last=' || i + 1 == len' ;;
	esac
	cat >src/longest.c <<C
#include "tally.h"

unsigned long
tally_longest(const char *text, size_t len)
{
	unsigned long longest = 0, here = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] != '\\n')
			here++;
		if (text[i] == '\\n'$last) {
			longest = here > longest ? here : longest;
			here = 0;
		}
	}
	return longest;
}
C
	;;

program)
	awk '{ print }
	/{ "bytes", tally_bytes,/ {
		print "\t{ \"lines\", tally_lines, \"number of lines\" },"
		print "\t{ \"words\", tally_words, \"number of words\" },"
		print "\t{ \"longest\", tally_longest, \"bytes of the longest line\" },"
	}' src/tally.c >src/tally.c.new
	mv src/tally.c.new src/tally.c
	;;

usage)
	awk '
	$0 == "int" {
		print "static int\nusage(void)\n{"
		print "\tputs(\"usage: tally [MEASURE...] <TEXT\");"
		print "\tfor (size_t i = 0; i < MEASURES; i++)"
		print "\t\tprintf(\"  %-8s %s\\n\", measures[i].name,"
		print "\t\t\tmeasures[i].meaning);"
		print "\treturn 0;\n}\n"
	}
	/text = read_all/ {
		print "\tif (argc > 1 && strcmp(argv[1], \"--help\") == 0)"
		print "\t\treturn usage();"
	}
	{ print }' src/tally.c >src/tally.c.new
	mv src/tally.c.new src/tally.c
	;;

edge-cases)
	printf '%s\n' ' one |1' '\tone\t\ttwo\t|2' '\n\n|0' >>test/cases/words.txt
	printf '%s\n' '\n\n|0' ' one \ntwo|5' >>test/cases/longest.txt
	;;

blank-lines)
	printf '%s\n' '\n|1' '\n\n\n|3' '\n\none|3' >>test/cases/lines.txt
	;;

docs)
	build=$(mktemp -d)
	cc -o "$build/tally" src/*.c
	{
		echo
		"$build/tally" --help | sed 's/^/    /'
	} >>README.md
	rm -rf "$build"
	;;

changelog)
	awk '/^## 0/ { print "## 1.0.0\n\n- `lines`, `words`, `longest`\n- `--help`\n" } { print }' \
		CHANGELOG.md >CHANGELOG.md.new
	mv CHANGELOG.md.new CHANGELOG.md
	;;

release)
	echo 1.0.0 >VERSION
	;;

*)
	echo "worker.sh: no task '$PAWL_NODE'" >&2
	exit 64
	;;
esac
