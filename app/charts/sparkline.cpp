// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/sparkline.h"

#include "app/widgets/elidedlabel.h"

#include <QGridLayout>
#include <QPainter>
#include <algorithm>

namespace ringside {

namespace {

constexpr int kLineHeight = 20;          // px
constexpr std::size_t kMostValues = 120; // two minutes at 1 Hz

} // namespace

class Sparkline::Line : public QWidget
{
public:
    Line(ThemeController& theme, double highest)
        : m_theme(theme)
        , m_highest(highest)
    {
        setMinimumSize(32, kLineHeight);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }

    QSize sizeHint() const override { return {64, kLineHeight}; }

    void add(double value)
    {
        m_values.push_back(value);
        if (m_values.size() > kMostValues)
            m_values.pop_front();
        update();
    }

    void clear()
    {
        m_values.clear();
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(m_theme.theme().grid, 1));
        painter.drawLine(QPointF(0, height() - 1.5), QPointF(width(), height() - 1.5));
        if (m_values.size() < 2)
            return;
        const double top =
            m_highest > 0 ? m_highest : std::max(1e-9, *std::max_element(m_values.begin(), m_values.end()));
        const double steps = static_cast<double>(m_values.size() - 1); // a short run has the whole width, too
        QPolygonF line;
        for (std::size_t i = 0; i < m_values.size(); ++i)
            line << QPointF(width() * static_cast<double>(i) / steps,
                            height() - 2.5 - (height() - 5) * std::clamp(m_values[i] / top, 0.0, 1.0));
        painter.setPen(QPen(m_theme.theme().text2, 1.2));
        painter.drawPolyline(line);
    }

private:
    ThemeController& m_theme;
    double m_highest;
    std::deque<double> m_values;
};

Sparkline::Sparkline(ThemeController& theme, const QString& name, double highest)
    : m_name(name)
    , m_value(makeLabel(LabelKind::strong, QStringLiteral("–")))
    , m_line(new Line(theme, highest))
{
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins({});
    layout->setHorizontalSpacing(10);
    layout->setVerticalSpacing(2);
    layout->addWidget(new ElidedLabel(LabelKind::caption, name), 0, 0, 1, 2);
    layout->addWidget(m_value, 1, 0);
    layout->addWidget(m_line, 1, 1);
    layout->setColumnStretch(1, 1);
    clear();
}

void Sparkline::add(double value, const QString& text)
{
    m_line->add(value);
    m_value->setText(text);
    setAccessibleName(m_name + QStringLiteral(": ") + text);
}

void Sparkline::clear()
{
    m_line->clear();
    m_value->setText(QStringLiteral("–"));
    setAccessibleName(m_name);
}

} // namespace ringside
