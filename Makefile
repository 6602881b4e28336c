# Everything one does with this project. `make help` lists it; continuous integration calls nothing else.
.DEFAULT_GOAL := help
BIN := .venv/bin
PROTO_FILES := $(shell find protos/xuezhan -name '*.proto')

# What has been installed or generated, and when.
RUN := .venv/.run
DEV := .venv/.dev
BENCH := .venv/.bench
API := xuezhan/api/.made
TYPED_API := xuezhan/api/.typed

.PHONY: help
help: ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(RUN): requirements/run.txt tools/env.sh
	@tools/env.sh run
	@touch $@

$(DEV): requirements/dev.txt tools/env.sh
	@tools/env.sh dev
	@touch $(RUN) $@

$(BENCH): requirements/bench.txt tools/env.sh | $(RUN)
	@tools/env.sh bench
	@touch $@

$(API): $(PROTO_FILES) tools/protos.py $(RUN)
	@$(BIN)/python tools/protos.py
	@touch $@

$(TYPED_API): $(PROTO_FILES) tools/protos.py $(DEV)
	@$(BIN)/python tools/protos.py
	@touch $(API) $@

.PHONY: env
env: $(RUN) $(API) ## .venv with what is needed to run, and the generated API
	@echo "ready: $(BIN)/xuezhan"

.PHONY: dev
dev: $(DEV) $(TYPED_API) ## .venv with what is needed to develop

.PHONY: run
run: env ## start everything in one process, seat bots and show live tables (ARGS=...)
	@exec $(BIN)/xuezhan up --demo $(ARGS)

.PHONY: servers
servers: ## install the servers that the tests start (Debian, as root)
	@tools/servers.sh

.PHONY: test
test: dev servers ## all tests, with full branch coverage of games/ (T=tests/games: only these, without)
	@tools/test.sh $(T)

.PHONY: test-drills
test-drills: dev servers ## the tests that take longer than a minute each (T=tests/e2e: only these)
	@.venv/bin/pytest -m drill $(T)

.PHONY: tables
tables: dev servers ## write the tables of docs/security.md from what the tests see
	@XUEZHAN_WRITE_TABLES=1 $(BIN)/pytest -q tests/security tests/deploy/test_database_users.py tests/deploy/test_broker_users.py

.PHONY: dashboards
dashboards: dev ## write the files of the Grafana dashboards from tools/dashboards (FROM=http://host:9090: draw them to pictures/ too)
	@$(BIN)/python -m tools.dashboards.write
	@$(if $(FROM),$(BIN)/python -m tools.dashboards.draw $(FROM))

.PHONY: lint
lint: dev ## ruff, mypy, import contracts, protos, deployment files
	@tools/lint.sh

.PHONY: format
format: dev ## rewrite the source as ruff wants it
	@$(BIN)/ruff check --fix-only --quiet . && $(BIN)/ruff format .

.PHONY: bench
bench: $(RUN) $(API) $(BENCH) ## measure; prints ratios and writes JSON to bench/results (ARGS=...)
	@$(BIN)/python -m bench $(ARGS)

.PHONY: protos
protos: $(if $(wildcard $(DEV)),$(TYPED_API),$(API)) ## generate xuezhan/api from protos/

.PHONY: baseline
baseline: dev ## take the protos as they are for the contract that later changes must keep
	$(BIN)/buf build --exclude-source-info -o protos/baseline.binpb

.PHONY: lock
lock: dev ## resolve requirements/*.txt anew from pyproject.toml (UPGRADE=1: newest versions)
	@tools/lock.sh $(if $(UPGRADE),--upgrade)

.PHONY: clean
clean: ## remove .venv, generated code and caches; data stays
	rm -rf .venv xuezhan/api .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage htmlcov build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
