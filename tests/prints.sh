#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# All that the agent's programs and ringside-cli say goes through core/base/say.h, what ringside-cli prints through
# app/cli/output.h: a full disk does not make these throw. Prints the lines that do not; exit 1 if there is one.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
! grep -rnE 'fmt::print|std::print|std::(cout|cerr|clog)|std::(f?printf|puts|fputs)' --include='*.cpp' --include='*.h' agent app/cli
