#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every sentence that core composes for people in their language goes through core/base/words.h, so that it can be
# translated. Prints those that do not, calls that lupdate would misread, and comments that do not say who is meant or are
# fragments; exit 1 if there is one.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
if git grep -niE '(//|\b(TEST|SUB)_?CASE).*\b(nobody|somebody|whoever)\b' -- '*.h' '*.cpp'; then
    echo "Say in these comments and names of tests who it is."
    exit 1
fi
if git grep -niE '#.*\b(nobody|somebody|whoever)\b' -- '*CMakeLists.txt' '*.cmake' '*.sh' '*.py' .ci/run ':!tests/words.sh'; then
    echo "Say in these comments who it is."
    exit 1
fi
# A comment that begins so is a fragment. It is none as a question, or where a sentence follows the clause behind a comma:
# “When the disk is full, the writer waits.”
fragment='((What|Of|How|Whose|Which|Who|Whom|Why)\b[^?]*$|(When|Where|Whether)\b[^?,]*[.:;]( |$))'
if git grep -nP "//[/<]* ?$fragment" -- '*.h' '*.cpp'; then
    echo "Begin these comments with a subject and a verb, or with a noun."
    exit 1
fi
if git grep -niE '\b(nobody|somebody|whoever)\b' -- '*.md'; then
    echo "Say in these documents who it is."
    exit 1
fi
if git grep -nP "^ *# ?$fragment" -- '*CMakeLists.txt' '*.cmake' '*.sh' '*.py' .ci/run; then
    echo "Begin these comments with a subject and a verb, or with a noun."
    exit 1
fi
# English on purpose: figures with their captions, notes and files, since they are exported; the scripts of jobs; the answers
# of Slurm's commands, and what the agent says of them.
english=(core/report/{caption,caveats,conditions,differences,figurewords,files,flagnotes,imported,linkfigure,timeline}.cpp
    core/report/kinds core/jobs/{jobscript,attempts/localscript}.cpp
    core/jobs/schedulers/slurm/{hostlist,listings,sentences,slurm}.cpp)
perl -0777 -ne '
    BEGIN {
        $literal = qr/"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*/;
        # Words of the dynamic linker, of sshd and of the commands of a site; options of commands; parts of formats; SQL and scripts.
        $exact = qr/^"(error while loading shared libraries|journal line|aggregation plan|SQLite format 3\\0|Too many authentication failures|ready zstd|No space left|quota exceeded|Read-only file system|Permission denied|Operation not permitted|No such file or directory|No such file|not found|Exec format error|HYDRA build details|mpiexec version)"$|^"--/;
        $sql = qr/\b(PRAGMA|SELECT|FROM|WHERE|INSERT|UPDATE|VALUES)\b/;
    }
    s{//[^\n]*|^#[^\n]*|R"(sql|sh)\(.*?\)\1"|static_assert\(.*?\);}{}msg;
    while (/Words::(tr|noop)\(\s*$literal\s*,\s*("|Words::(tr|counted|noop)\()/g) {
        print "$ARGV: put what follows the text into a variable: $&\n";
        $bad = 1;
    }
    s/Words::(tr|noop)\(\s*$literal|Words::counted\(\s*$literal\s*,\s*$literal//g;
    for (grep { /[a-z]{2} [a-z]{2}|^"[A-Z][a-z]+[.:]/ && !/$exact|$sql/ } /$literal/g) {
        print "$ARGV: cannot be translated: $_\n";
        $bad = 1;
    }
    END { exit($bad ? 1 : 0) }
' $(git ls-files 'core/*.cpp' 'core/*.h' "${english[@]/#/:!}")
