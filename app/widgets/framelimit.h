// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a live view at most ten times a second, however often it changes, and not at all while it is hidden.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <chrono>
#include <functional>

class QWidget;

namespace ringside {

/// GUI thread. The view outlives it.
class FrameLimit : public QObject
{
    Q_OBJECT
public:
    static constexpr std::chrono::milliseconds kInterval{100};

    FrameLimit(QWidget& view, std::function<void()> draw);

    /// The view has changed. It is drawn at once or, if the last time is not `kInterval` ago, then; a hidden one when
    /// it is shown.
    void want();

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void draw();

    QWidget& m_view;
    std::function<void()> m_draw;
    QElapsedTimer m_sinceDrawn; ///< not valid before the first time
    QTimer m_timer;
    bool m_wanted = false;
};

} // namespace ringside
