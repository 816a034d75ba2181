#include "child/life.h"

#include <sys/stat.h>
#include <unistd.h>

#include "os/tree.h"

static uint64_t
ticks_below_us(void)
{
	struct tree tree;
	uint64_t ticks;

	tree_read("/proc", getpid(), &tree);
	ticks = tree_cpu(&tree);
	tree_release(&tree);
	return ticks;
}

void
life_start(struct life *life, int outbox, uint64_t now_ms)
{
	struct stat st;

	*life = (struct life){
		.output_ms = now_ms, .heartbeat_ms = now_ms, .cpu_ms = now_ms
	};
	if (outbox >= 0 && fstat(outbox, &st) == 0)
		life->mtime = st.st_mtim;
}

void
life_sample(struct life *life, int outbox, uint64_t now_ms)
{
	uint64_t ticks = ticks_below_us();
	struct stat st;

	/* Any difference: a clock that was set back must not look like death.
	 */
	if (outbox >= 0 && fstat(outbox, &st) == 0 &&
		(st.st_mtim.tv_sec != life->mtime.tv_sec ||
			st.st_mtim.tv_nsec != life->mtime.tv_nsec)) {
		life->mtime = st.st_mtim;
		life->heartbeat_ms = now_ms;
	}
	if (ticks != life->ticks) {
		life->ticks = ticks;
		life->cpu_ms = now_ms;
	}
}

uint64_t
life_interval_ms(uint64_t deadline_ms)
{
	uint64_t ms = deadline_ms / 20;

	return ms < 100 ? 100 : ms > 10000 ? 10000 : ms;
}
