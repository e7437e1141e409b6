# What a person types. `make run` and `make test` set themselves up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# An update in a machine takes hours: make hil HIL=hil_tests/test_update.py
HIL ?= hil_tests --ignore=hil_tests/test_update.py
AGAINST ?= HEAD^
# Half as many more than processors: many tests wait for other processes.
WORKERS ?= $(shell expr \( $$(nproc) \* 3 + 1 \) / 2)

# Without bytecode each process that a test or the bench starts compiles 600 modules again: 0.3 s of a table's start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run floor floor-seeds bench-floor bench-load bench-pit check announce-check test announce-test test-rest test-all every-test collected gate hil powercut setup bench fuzz bench-flood bench-insider bench-page bench-wire bench-vm card cost soak house drills identity moments docs site pictures deb image update-bundle apt-repository lock lint types judged hooks subjects

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

# make run BUILT=board-only plays a table that is built with less: no-shoe, no-seat-readers, board-only.
# make run CHIPS=yes plays one whose readers tell chips' numbers, FACES=no one whose readers know no side of a card.
run: setup
	$(BIN)/feltd simulate $(if $(BUILT),--built $(BUILT)) $(if $(CHIPS),--chips) $(if $(filter no,$(FACES)),--no-faces)

# A whole floor on this machine: PostgreSQL (Debian's server, of its own and never as root), floord, the pit page, twelve tables.
floor: setup
	$(BIN)/python -m tests.floor.demo

# The floor's simulations over many seeds, and each fault that is put into them on purpose: minutes. `make test` plays few.
SEEDS ?= 10000
floor-seeds: setup
	$(BIN)/python -m tests.floor.seeds --seeds $(SEEDS)

# What an entry takes in the floor's database, as it comes and packed. It needs a PostgreSQL server's binaries.
bench-floor: setup
	$(BIN)/python -m tests.floor.packed_size
	$(BIN)/python -m tests.floor.many_entries --entries 4000000

# A floor under the load of a thousand tables, and after a minute without it: four minutes on two cores that do nothing else.
bench-load: setup
	$(BIN)/python -m tests.floor.load

# What the pit page shows of a thousand tables in time, in a browser, and what a crowd at it costs their commits: four minutes.
bench-pit: setup
	$(BIN)/python -m tests.floor.load_at_pit

# Before a commit: lint, types and the tests of what is pure.
FAST := tests/table_fsm tests/floor_fsm tests/firmware_bridge tests/toml_text tests/test_drills.py tests/test_doctests.py \
	tests/test_commit_subject.py tests/test_units.py tests/test_wiring.py

check: announce-check judged
	$(BIN)/python -m pytest -n logical --dist worksteal -m "not slow" $(FAST)

announce-check:
	@echo "Lint, types and the fast tests: a minute on two cores, two where mypy has kept nothing. make test runs most, make test-all all."

# So many WORKERS side by side; whoever names files (python -m pytest tests/x.py) has them one by one. .ci/run hands ALSO in.
BESIDE_OTHERS := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -p tests.reached

test: announce-test judged
	$(BESIDE_OTHERS) --reached-as test -m "not slow" $(ALSO)

announce-test:
	@echo "Lint, types and all tests that start no browser and no whole table: up to eight minutes on two cores that do nothing else."

# What `make test` leaves out: browsers, compiled firmware, whole tables, many thousand events.
test-rest: setup
	$(BESIDE_OTHERS) --reached-as test-rest -m slow $(ALSO)

# Every test, and whether they reach enough: some half an hour on two cores.
test-all: judged
	$(MAKE) --no-print-directory every-test
	$(MAKE) --no-print-directory gate RUNS=every-test

# In one run, the slow ones first: each process collects the tests once, and no processor waits for the other one's last.
every-test: setup
	$(BESIDE_OTHERS) --reached-as every-test $(ALSO)

# What each process of a run would make anew at the same time: tests with their assertions rewritten, modules with probes.
collected: setup
	$(BIN)/python -m pytest --collect-only -qq -p tests.reached --reached-as collected >/dev/null

# What the last RUNS have reached, and whether that is enough: [tool.slipcover] of pyproject.toml has the percent.
RUNS ?= test test-rest
gate: setup
	$(BIN)/python -m tests.reached $(RUNS)

# On a virtual machine with simulated hardware; .ci/machine installs what that needs. Some minutes, as root.
hil: setup
	$(BIN)/python -m compileall -q feltd floor_fsm table_fsm devices firmware_bridge hil_tests
	$(BIN)/python -m pytest $(HIL) -s -rs --durations=12 --durations-min=1 $(ALSO)

powercut: setup
	FELTD_CUTS=200 FELTD_REAL_CUTS=8 $(BIN)/python -m pytest hil_tests/test_power_cuts.py -s

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: setup
	$(BIN)/mypy

# Both at once: each keeps one processor busy. What one says is shown whole.
judged: setup
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint types

# Installs what .pre-commit-config.yaml says into this clone. A branch from before that file commits without.
hooks: setup
	$(BIN)/pre-commit install --allow-missing-config

# The subjects of the commits since the check of them came, apart from those that a tag has.
subjects: setup
	$(BIN)/python -m tests.commit_subject --history

drills: setup
	$(BIN)/feltd drill tests/drills

# That no output of the table has changed since a revision: make identity AGAINST=main
identity: setup
	$(BIN)/python -m tests.identity --against $(AGAINST)

# What the table rules at every moment of every book, beside what it ruled when that was read
moments: setup
	$(BIN)/python -m tests.moments.record --show

docs: setup
	$(BIN)/feltd rules --html docs/rulebooks

# make deb ARCH=arm64 makes one for another architecture in a Debian of that one, as root: .ci/elsewhere gets what it takes.
# A shell in which kernels are built has an ARCH of its own: only what make itself is told counts.
HERE := $(or $(shell dpkg --print-architecture 2>/dev/null),amd64)
DEB_ARCH := $(if $(filter command,$(origin ARCH)),$(ARCH),$(HERE))
NAMED = dist/feltd_$$($(BIN)/python -c 'from debian.build import project_version as v; print(v())')_$(DEB_ARCH)
deb: setup
	$(BIN)/python -m $(if $(filter $(HERE),$(DEB_ARCH)),debian.build,hil_tests.elsewhere $(DEB_ARCH))

# A whole system for a board, in dist/. As root; it says which of Debian's packages it lacks. Two minutes, and 5 GB while it works;
# another architecture than this machine's (make image ARCH=arm64) takes many times as long.
image: deb
	$(BIN)/python -m image.build --package "$(NAMED).deb" --into dist

# A signed update of the system that `make image` has left: make update-bundle CERTIFICATE=update.pem KEY=update.key
update-bundle: setup
	$(BIN)/python -m image.bundle --certificate "$(CERTIFICATE)" --key "$(KEY)" --into dist --system "$(NAMED).system"

# make apt-repository KEY=FINGERPRINT [REPOSITORY=dist/apt] [PACKAGES="dist/a.deb dist/b.deb"]
REPOSITORY ?= dist/apt
PACKAGES ?= $(wildcard dist/feltd_*.deb)
apt-repository: setup
	$(BIN)/python -m debian.repository --key "$(KEY)" --into "$(REPOSITORY)" $(PACKAGES)

# The documentation as a site, in dist/site
site: setup
	$(BIN)/python -m tests.site dist/site

pictures: setup
	$(BIN)/python -m tests.pictures docs/pictures

# Rooms, arrows, floors and rings of the packages; `python -m tests.house --help` has more.
house: setup
	$(BIN)/python -m tests.house $(ARGS)

bench: setup
	$(BIN)/python -m tests.bench

# Changed bytes at each place that reads what others wrote, so long each: make fuzz SECONDS=600 TARGETS="firmware-led frames"
SECONDS ?= 60
fuzz: setup
	$(MAKE) -C firmware/c test-build BUILD=/tmp/feltd-fuzz-c
	@command -v clang-14 >/dev/null || echo "firmware-led is left out: it wants clang's libFuzzer (.ci/clang installs it)"
	! command -v clang-14 >/dev/null || $(MAKE) -C firmware/c led BUILD=/tmp/feltd-fuzz-led
	$(BIN)/python -m tests.fuzz --c /tmp/feltd-fuzz-c/fuzz --seconds $(SECONDS) \
		$$(! command -v clang-14 >/dev/null || echo --led /tmp/feltd-fuzz-led/fuzz_led) $(TARGETS)

# A table beside a page that is killed, stopped, flooded or upgraded. About twelve minutes.
bench-page: setup
	$(BIN)/python -m tests.bench.undisturbed

# A card's frame to the lamp's over wires of 115,200 and 1,000,000 baud. About two minutes.
bench-wire: setup
	$(BIN)/python -m tests.bench.paced

# What an event costs in instructions, allocations, system calls and bytes, by valgrind and strace. About ten minutes.
cost: setup
	$(BIN)/python -m tests.bench.cost

# What a day's record writes to a memory card, where events wait for others and where none does. As root, ten minutes.
card: setup
	$(BIN)/python -m tests.bench.card

# Two million events through whole tables, all books; kills of tables, pages, uplinks and floors; power cuts (as root, in
# machines). A day of two cores: make soak EVENTS=30000 KILLS=50 CUTS=20 asks less. What is played is kept, in
# /var/tmp/feltd-soak or FOLDER: after Ctrl-C the next run goes on there. BESIDE: books that are played at once.
soak: setup
	$(BIN)/python -m tests.soak --events $(or $(EVENTS),2000000) $(and $(FOLDER),--folder $(FOLDER)) $(and $(BESIDE),--beside $(BESIDE))
	FELTD_KILLS=$(or $(KILLS),1000) $(BIN)/python -m pytest tests/feltd/test_kill_and_resume.py tests/feltd/test_journal_kill.py tests/floor/test_killed_everywhere.py -s -rs
	FELTD_CUTS=$(or $(CUTS),500) $(BIN)/python -m pytest hil_tests/test_power_cuts.py hil_tests/test_house_power.py -s -rs
	FELTD_CLEAN_ROUNDS=$(or $(ROUNDS),200) $(BIN)/python -m pytest tests/devices/test_croupier.py -k clean_rounds_raise_nothing

# A keypad beside a device that floods. About five minutes.
bench-flood: setup
	$(BIN)/python -m tests.bench.flooding

# What somebody who has the page's user can make a table write, and a keypad beside it. About twenty minutes.
bench-insider: setup
	$(BIN)/python -m tests.bench.insiders

# As `make hil`: on the virtual machine, as root.
bench-vm: setup
	$(BIN)/python -m compileall -q feltd floor_fsm table_fsm devices firmware_bridge hil_tests tests/bench
	$(BIN)/python -m hil_tests.bench $(PARTS)

lock:
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-strip-extras -o requirements.lock
