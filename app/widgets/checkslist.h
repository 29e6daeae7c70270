// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about a draft, the gravest first, each with a way to its field.
#pragma once

#include "app/style/themecontroller.h"
#include "core/spec/check.h"

#include <QWidget>

class QVBoxLayout;

namespace ringside {

/// Icon and colour that a finding has everywhere.
struct CheckShape
{
    QString icon;
    Ink ink;
};
CheckShape shapeOf(spec::Severity severity);

class ChecksList : public QWidget
{
    Q_OBJECT
public:
    /// At most `most` are listed; the rest is counted in a last line.
    ChecksList(const ThemeController& theme, int most);
    void show(const std::vector<spec::Check>& checks);

Q_SIGNALS:
    void fieldAsked(const QString& field);

private:
    void addRow(const spec::Check& check);

    const ThemeController& m_theme;
    int m_most;
    QVBoxLayout* m_layout;
};

} // namespace ringside
