/*
 * process: the driver whose workers are processes of this machine, each under a
 * monitor of ours (os/monitor.h).
 */
#ifndef PAWL_ENGINE_PROCESS_H
#define PAWL_ENGINE_PROCESS_H

#include "engine/drivers.h"

extern const struct driver driver_process;

#endif
