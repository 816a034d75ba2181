/*
 * Two coordinators of one task: takeover, the gate before each worker, late
 * reports, torn tails.  README.md says what is assumed; run.sh has spin check
 * it, and check that each rule that is left out (-DNO_...) is found out.
 *
 * Journal: what a fold of the good lines gives.  An append is one step under
 * the lock; a crash leaves nothing of it, all of it without the answer, or a
 * torn tail.  World: monitors and their gates, reports in the outbox.
 */
#define ATTEMPTS 2 /* numbered from 1 */
#define COORDS 2   /* likewise; 0 is nobody */
#ifndef GENS
#define GENS 3 /* takeovers are bounded by it */
#endif
#ifndef CRASHES
#define CRASHES 1 /* of coordinators, each followed by a restart */
#endif

mtype = { none, reserved, started, reported, settled, ended };
mtype = { absent, waiting, running, gone }; /* a monitor with its worker */
mtype = { reserve, start, report, lose, grade, take_over };

/* the journal */
byte gen = 1;
byte owner = 1; /* of the generation */
byte latest;    /* attempt */
mtype status[ATTEMPTS + 1] = none;
byte monitor_of[ATTEMPTS + 1]; /* whose monitor `started` names */
bool graded;
bool torn;

/* the world */
mtype monitor[(ATTEMPTS + 1) * (COORDS + 1)] = absent;
bool gate[(ATTEMPTS + 1) * (COORDS + 1)];
bool outbox[ATTEMPTS + 1];
byte workers; /* that run */
byte crashes;
byte token[COORDS + 1]; /* generation that its token is of */
byte living;            /* coordinators that go on */

#define AT(n, c) ((n) * (COORDS + 1) + (c))
#define HAS_ENDED(n) (status[n] == none || status[n] == ended)
#define EXHAUSTED (latest == ATTEMPTS && HAS_ENDED(latest))
#define DONE (graded || EXHAUSTED)

/* What decide() asks of each event, on the state that is there. */
#define MAY(what, n) \
	((what == reserve && !graded && latest < ATTEMPTS && \
		 HAS_ENDED(latest) && n == latest + 1) || \
	 (what == start && n == latest && status[n] == reserved) || \
	 (what == report && n == latest && status[n] == started) || \
	 (what == lose && n == latest && \
		 (status[n] == reserved || status[n] == started)) || \
	 (what == grade && n == latest && status[n] == reported) || \
	 (what == take_over && gen < GENS))

#ifdef NO_FENCE
#define FENCE(what) true
#else
#define FENCE(what) (token[me] == gen || what == take_over)
#endif

inline append(what, n)
{
	assert(!torn); /* nothing stands behind a torn tail */
	/* who writes in a generation is its owner */
	assert(what == take_over || owner == me);
	if
	:: what == reserve -> latest = n; status[n] = reserved
	:: what == start -> status[n] = started; monitor_of[n] = me
	:: what == report -> status[n] = reported
	:: what == lose -> status[n] = ended
	:: what == grade ->
		assert(!graded && n == latest);
		graded = true;
		status[n] = settled
	:: what == take_over -> gen++; owner = me
	fi
}

/* Death closes the gates that were not opened: their monitors end. */
inline gates_close()
{
	i = 1;
	do
	:: i <= ATTEMPTS ->
		if
		:: monitor[AT(i, me)] == waiting && !gate[AT(i, me)] ->
			monitor[AT(i, me)] = gone
		:: else -> skip
		fi;
		i++
	:: else -> break
	od;
	i = 0
}

inline crash()
{
	crashes++;
	crashed = true;
	gates_close()
}

/*
 * Lock, repair, decide, append, unlock: nobody else appends meanwhile, and
 * decide() doesn't look at the world, so it is one step.  `ok` says that "ok"
 * came back; a crash sets `crashed` and ends the process, whose gates close.
 * The token of a takeover is written before its line.
 */
inline commit(what, n)
{
	atomic {
		ok = false;
#ifndef NO_REPAIR
		torn = false; /* set aside, cut */
#endif
		if
		:: !(MAY(what, n) && FENCE(what)) -> skip
		:: MAY(what, n) && FENCE(what) ->
			if
			:: what == take_over -> token[me] = gen + 1
			:: else -> skip
			fi;
			if
			:: append(what, n); ok = true
			:: crashes < CRASHES -> append(what, n); crash() /* no "ok" */
			:: crashes < CRASHES -> torn = true; crash()
			:: crashes < CRASHES -> crash() /* before the write */
			fi
		fi
	}
}

/* A worker behind its gate; `c` is whose monitor it is. */
proctype monitor_proc(byte n; byte c)
{
	do
	:: atomic { monitor[AT(n, c)] == waiting && gate[AT(n, c)] ->
		monitor[AT(n, c)] = running;
		workers++;
		/* reserved, recorded, and alone */
		assert(status[n] != none && status[n] != reserved);
		assert(monitor_of[n] == c);
		assert(workers == 1) }
	:: atomic { monitor[AT(n, c)] == running ->
		workers--;
		monitor[AT(n, c)] = gone }
	:: monitor[AT(n, c)] == gone -> break
	od
}

/* A report may come at any time, or never, of any attempt that was told of. */
proctype late_reporter()
{
	byte n = 1;

	do
	:: atomic { n <= ATTEMPTS && status[n] != none ->
		outbox[n] = true;
		n++ }
	:: n > ATTEMPTS || DONE -> break
	od
}

/* By KILL, waited for; a gate whose other end is closed lets nobody pass. */
inline kill_monitor(n, c)
{
	d_step {
		if
		:: monitor[AT(n, c)] == running -> workers--
		:: else -> skip
		fi;
		if
		:: monitor[AT(n, c)] != absent -> monitor[AT(n, c)] = gone
		:: else -> skip
		fi
	}
}

/* reserved: a monitor, its gate shut; recorded; then the gate. */
inline begin_attempt(n)
{
	atomic {
		if
		:: monitor[AT(n, me)] == absent ->
			monitor[AT(n, me)] = waiting;
			run monitor_proc(n, me)
		:: else -> skip
		fi
	}
#ifdef NO_GATE
	gate[AT(n, me)] = true;
#endif
	if
	:: monitor[AT(n, me)] == waiting ->
		commit(start, n);
		if
		:: ok -> gate[AT(n, me)] = true
		:: !ok && !crashed -> kill_monitor(n, me)
		:: else -> skip
		fi
	:: else -> commit(lose, n) /* it ended before it was recorded */
	fi
}

/* started: its end is seen, or it is ended; a report counts for it alone. */
inline end_attempt(n)
{
	c = monitor_of[n];
	if
	:: monitor[AT(n, c)] == gone && outbox[n] -> commit(report, n)
	:: monitor[AT(n, c)] == gone && !outbox[n] -> commit(lose, n)
#ifdef NO_PROOF
	:: commit(lose, n)
#endif
	:: monitor[AT(n, c)] != gone -> /* stopped on purpose, then recorded */
		kill_monitor(n, c);
		commit(lose, n)
	fi
}

/* What it read is forgotten (fewer states); after a crash it starts again. */
inline go_on()
{
	d_step { n = 0; c = 0; seen = none; ok = false; crashed = false }
}

/*
 * Acts on what it read, which may be old by the time that it is decided.  Who
 * is stale stops; who crashed starts again, with the token that it has.
 */
proctype coordinator(byte me)
{
	bool ok, crashed;
	byte n, c, i;
	mtype seen;

	do
	:: DONE -> break
	:: !DONE && token[me] != gen && gen == GENS && owner != me -> break
	:: !DONE && token[me] != gen && gen < GENS ->
		commit(take_over, 0);
		go_on()
	:: !DONE && token[me] == gen ->
		atomic { n = latest; seen = status[n] };
		if
		:: seen == none || seen == ended ->
			if
			:: n < ATTEMPTS -> n = n + 1; commit(reserve, n)
			:: else -> skip
			fi
		:: seen == reserved -> begin_attempt(n)
		:: seen == started -> end_attempt(n)
		:: seen == reported -> commit(grade, n)
		:: seen == settled -> skip
		fi;
		go_on()
	od;
	atomic { gates_close(); living-- }
}

init
{
	token[1] = 1;
	living = COORDS;
	atomic {
		run coordinator(1);
		run coordinator(2);
		run late_reporter()
	}
	living == 0;
	/* Nothing that was started is left, and the task has an end. */
	assert(DONE && workers == 0)
}
