// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/style/resources.h"

#include <QtGlobal>
#include <qdir.h>

void initRingsideResources()
{
    Q_INIT_RESOURCE(ringside);
}
