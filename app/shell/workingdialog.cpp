// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/workingdialog.h"

namespace ringside {

WorkingDialog::WorkingDialog(const std::string& thread, QWidget* parent)
    : QDialog(parent)
    , m_thread(thread)
{
}

void WorkingDialog::done(int result)
{
    m_isClosed = true;
    QDialog::done(result);
    goIfIdle();
}

void WorkingDialog::goIfIdle()
{
    if (m_underWay == 0)
        deleteLater();
}

} // namespace ringside
