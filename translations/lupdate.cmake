# SPDX-License-Identifier: GPL-3.0-or-later
# Lets lupdate read the sources, from the project's folder; for update_translations and for the test that nothing is
# missing. Core knows no Qt: its texts are found by the names of the functions of core/base/words.h.
function(ringside_lupdate_options result language)
  set(options -I translations/lupdate -I . -no-obsolete -locations none -source-language en -target-language ${language}
      -extensions cpp,h -tr-function-alias QT_TR_NOOP+=noop,QT_TR_N_NOOP+=counted app core)
  if(language STREQUAL "en")
    list(PREPEND options -pluralonly)
  endif()
  set(${result} ${options} PARENT_SCOPE)
endfunction()
