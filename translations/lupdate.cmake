# SPDX-License-Identifier: GPL-3.0-or-later
# How lupdate reads the sources, from the project's folder; for update_translations and for the test that nothing is
# missing. Core knows no Qt: its texts are found by the names of the functions of core/base/words.h.
set(lupdate_options -I translations/lupdate -I . -pluralonly -no-obsolete -locations none -source-language en
    -target-language en -extensions cpp,h -tr-function-alias QT_TR_NOOP+=noop,QT_TR_N_NOOP+=counted app core)
