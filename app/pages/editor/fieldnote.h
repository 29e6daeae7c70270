// SPDX-License-Identifier: GPL-3.0-or-later
// The problem of a field, in a line below it: red where it blocks a launch, amber where it only warns.
#pragma once

#include "app/style/themecontroller.h"
#include "app/widgets/checkslist.h"

#include "core/spec/check.h"

#include <QWidget>

class QLabel;

namespace ringside {

class IconLabel;

/// Field that a finding belongs to: "factors.ranks[2]" is {"factors", "ranks"}, "name" is {"", "name"}.
struct FieldPlace
{
    std::string table, key;
};
FieldPlace placeOf(const std::string& field);

class FieldNote : public QWidget
{
public:
    /// `field` gets a red border with what blocks, and the note as its accessible description.
    FieldNote(const ThemeController& theme, QWidget& field);

    /// An empty text hides the note. A new blocking note is announced.
    void setNote(spec::Severity severity, const QString& text);
    /// The gravest of these; hints stay in the list of checks.
    void setNote(const spec::Check* check);

protected:
    bool event(QEvent* event) override;

private:
    void fit();

    QWidget& m_field;
    IconLabel* m_icon;
    QLabel* m_text;
};

} // namespace ringside
