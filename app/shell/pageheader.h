// SPDX-License-Identifier: GPL-3.0-or-later
// The head of a page: title and one line of context at the left, at most four buttons at the right.
#pragma once

#include <QWidget>

class QAction;
class QHBoxLayout;

namespace ringside {

class ElidedLabel;
class ThemeController;

class PageHeader : public QWidget
{
public:
    explicit PageHeader(const ThemeController& theme);

    void setTitle(const QString& title);
    void setContextLine(const QString& text);
    /// "as of 09:14" with a clock; empty removes it.
    void setStale(const QString& text);
    /// Any widget left of the buttons, such as the progress of a campaign.
    void addWidget(QWidget* widget);
    /// The outermost is added last.
    void addAction(QAction* action, bool isPrimary = false, bool isDanger = false);

private:
    ElidedLabel* m_title;
    ElidedLabel* m_context;
    QWidget* m_stale;
    ElidedLabel* m_staleText;
    QHBoxLayout* m_right;
};

} // namespace ringside
