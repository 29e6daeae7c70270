// SPDX-License-Identifier: GPL-3.0-or-later
// The fields that a plan of one's own is composed in: its four parts with their numbers, what that does in a sentence,
// and why it cannot be.
#pragma once

#include "core/spec/plannumbers.h"
#include "core/spec/validate.h"

#include <QWidget>
#include <functional>

class QGridLayout;
class QLabel;
class QLineEdit;

namespace ringside {

class PlanComposer : public QWidget
{
    Q_OBJECT
public:
    /// Parts that the site's worker cannot run are shown with that remark and cannot be chosen.
    explicit PlanComposer(const spec::SiteLimits& site);
    ~PlanComposer() override;

    /// Shows a plan; `isTaken` says of a name that another plan has it.
    void setPlan(const AggregationPlan& plan, std::function<bool(const std::string& name)> isTaken);
    /// The fields' plan. A number or name that is not valid leaves the former value.
    const AggregationPlan& plan() const { return m_plan; }
    /// Returns why the plan cannot be used; empty: it can.
    const QString& problem() const { return m_problem; }
    void focusName();

Q_SIGNALS:
    void changed();

private:
    /// One row: shown where it counts, filled from the plan, read into it. `read` says what cannot be read.
    struct Row
    {
        QWidget* widget;
        std::function<bool(const AggregationPlan&)> counts;
        std::function<void()> show;
        std::function<QString()> read;
        QLabel* label = nullptr;
    };
    using Condition = std::function<bool(const AggregationPlan&)>;
    struct NumberField
    {
        QString label;
        Condition counts;
        spec::NumberLimits limits;
    };

    void addRows();
    void addServerRows();
    template <typename Parts, typename Part>
    void addPart(const QString& label, const Parts& parts, Part AggregationPlan::*member, const char* feature,
                 Condition counts = {});
    template <typename Text, typename Parse>
    void addText(const QString& label, Condition counts, Text text, Parse parse, const QString& hint,
                 std::function<QString()> beside = {});
    template <typename Parts, typename Part> void addNumbers(const Parts& parts, Part AggregationPlan::*member);
    void addNumber(const NumberField& field, spec::PlanSize size);
    void addNumber(const NumberField& field, spec::PlanTime time);
    void addNumber(const NumberField& field, spec::PlanCount count);
    void addNumber(const NumberField& field, spec::PlanShare share);
    void addServers();
    void addUpdates();
    void addRow(const QString& label, Row row);
    void read();
    QString readName();
    void refresh();

    const spec::SiteLimits& m_site;
    AggregationPlan m_plan;
    std::function<bool(const std::string&)> m_isTaken;
    QString m_problem;
    QGridLayout* m_grid; ///< not a form: that of Qt 6.4 writes beyond its rows where wrapped ones are hidden
    QLineEdit* m_name;
    QLabel* m_sentence;
    QLabel* m_why;
    std::vector<Row> m_rows;
    std::vector<QLineEdit*> m_lines; ///< of the rows that are typed
};

} // namespace ringside
