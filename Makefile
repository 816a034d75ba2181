# The build is described once, in meson.build.  This file only knows verbs.
.POSIX:
.PHONY: all demo check soak bench install clean format
B = build

all: $(B)/build.ninja
	@ninja -C $(B)

$(B)/build.ninja:
	@tools/setup.sh --check build
	@meson setup $(B) --buildtype=release

# The main job on a throw-away repository, from nothing to COMPLETE.
demo:
	@tools/setup.sh build
	@$(MAKE) -s all B=$(B)
	@PAWL=$(B)/src/cli/pawl examples/quickstart/demo.sh

check:
	@tools/setup.sh build check
	@tools/check.sh

soak:
	@tools/setup.sh build check soak
	@tools/check.sh --soak

bench:
	@tools/setup.sh build bench
	@$(MAKE) -s all B=$(B)
	@bench/run.sh $(B)

install: all
	@meson install -C $(B) --no-rebuild

clean:
	rm -rf $(B) b-asan b-clang b-rel b-ship

format:
	@tools/files.sh c h | xargs clang-format-14 -i
