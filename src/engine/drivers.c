#include "engine/drivers.h"

#include "engine/afar.h"
#include "engine/host.h"
#include "engine/process.h"
#include "model/capability.h"

const struct driver *
driver_named(struct str name)
{
	static const struct driver *const builtins[] = {
		[BUILTIN_HOST] = &driver_host,
		[BUILTIN_PROCESS] = &driver_process,
	};
	enum builtin d;

	return builtin_from(name, &d) ? builtins[d] : &driver_afar;
}

const struct driver *
driver_of(const struct attempt *a)
{
	return driver_named(a->driver);
}

struct str
driver_name_of(const struct pilot *p)
{
	return p->config.driver.len > 0 ? p->config.driver
					: builtin_word(BUILTIN_PROCESS);
}
