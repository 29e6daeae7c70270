// SPDX-License-Identifier: GPL-3.0-or-later
// A dialog that works on a thread of its own, such as one that writes files. Closed meanwhile it is out of sight at
// once and deletes itself when the work has ended, so that the window waits for no slow disk. GUI thread.
#pragma once

#include "app/session/background.h"

#include <QDialog>

namespace ringside {

class WorkingDialog : public QDialog
{
public:
    /// Deletes itself when closed. `thread`: see TaskThread.
    WorkingDialog(const std::string& thread, QWidget* parent);

    void done(int result) override;

protected:
    /// Runs `work()` on the thread, even if the dialog is closed before, and passes its value to `deliver`.
    template <class Work, class Deliver> void runInBackground(Work work, Deliver deliver)
    {
        ++m_underWay;
        runAlways(m_thread, this, work, [this, deliver](auto value) {
            --m_underWay;
            deliver(std::move(value));
            if (m_isClosed)
                goIfIdle();
        });
    }
    /// The user has closed it: what it would show now is shown elsewhere, and nothing more is begun.
    bool isClosed() const { return m_isClosed; }

private:
    void goIfIdle();

    int m_underWay = 0;
    bool m_isClosed = false;
    TaskThread m_thread; // last: it calls back
};

} // namespace ringside
