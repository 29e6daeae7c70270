// SPDX-License-Identifier: GPL-3.0-or-later
// One line that can shrink: shortened with "…" where it does not fit, and then whole in its tooltip.
#pragma once

#include "app/widgets/labels.h"

namespace ringside {

class ElidedLabel : public QLabel
{
public:
    explicit ElidedLabel(LabelKind kind, const QString& text = {});
    void setFullText(const QString& text);
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void elide();

    QString m_full;
};

} // namespace ringside
