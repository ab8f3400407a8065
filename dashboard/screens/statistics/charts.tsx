/** The charts of the statistics: three of the last weeks, and one of the current month. */
import type { JSX } from 'preact';
import type { Stats, WeeklyStats } from '../../../sdk/index.ts';
import { Facts } from '../../parts/facts.tsx';
import { Empty, Shown } from '../../parts/feedback.tsx';
import { useLoad } from '../../state/load.ts';
import { api, isInstanceKey } from '../../state/session.ts';
import { day } from '../../text/dates.ts';
import { duration, labelsSentence, mergesSentence, type Point, percent, waitSentence } from '../../text/statistics.ts';
import { count } from '../../text/words.ts';
import { Chart } from './chart.tsx';

const weeks = 26;
const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' });

/** @param repoId the repository whose weeks are shown; an empty text stands for all of them */
export function Charts({ repoId }: { repoId: string }): JSX.Element {
  const byWeek = useLoad(
    'weeks',
    (signal) => api().getWeeklyStats({ weeks, ...(repoId !== '' && { repoId }) }, { signal }),
    [repoId],
    true,
  );
  const month = useLoad('statistics', (signal) => api().getStats({}, { signal }), [], true);
  return (
    <div class="charts">
      <Shown of={byWeek}>{(data) => <Weeks of={data.weeks} />}</Shown>
      <Shown of={month}>{(data) => <Usage of={data} />}</Shown>
    </div>
  );
}

function Weeks({ of }: { of: WeeklyStats['weeks'] }): JSX.Element {
  const points = (read: (week: WeeklyStats['weeks'][number]) => number | null): Point[] =>
    of.map((week) => ({ name: day(Date.parse(week.from)), value: read(week) }));
  const merges = points(({ merged }) => merged);
  const waits = points(({ medianHours }) => medianHours);
  const shares = points(({ merged, withoutLabels }) => (merged === 0 ? null : withoutLabels / merged));
  if (of.every(({ merged, published }) => merged + published === 0))
    return (
      <Empty title={`Nothing was merged in the last ${weeks} weeks.`}>
        <p>Merged pull requests are counted here, week by week.</p>
      </Empty>
    );
  const inDays = Math.max(0, ...waits.map(({ value }) => value ?? 0)) > 72;
  return (
    <>
      <Chart
        title="Merges per week"
        sentence={mergesSentence(merges)}
        points={merges}
        write={(value) => count(value, 'merge')}
        tick={(value) => value.toLocaleString('en')}
      />
      <Chart
        title="Time from merge to published"
        sentence={waitSentence(waits)}
        points={waits}
        isLine
        unit={inDays ? 24 : 1}
        write={duration}
        tick={(value) => (inDays ? `${value / 24} d` : `${value} h`)}
        none="nothing published"
        empty="No notes were published in these weeks. Publish a draft to see how long its changes waited."
      />
      <Chart
        title="Merges without a label"
        sentence={labelsSentence(shares)}
        points={shares}
        end={1}
        write={(value) => `${percent(value)} without a label`}
        tick={percent}
        none="nothing merged"
      />
    </>
  );
}

function Usage({ of }: { of: Stats }): JSX.Element {
  const { currentMonth, apiCalls, usagePercentage, publications, publishedReleases, draftsGenerated } = of;
  const month = monthFormat.format(Date.parse(`${currentMonth}-01`));
  const share = `${usagePercentage.toLocaleString('en', { maximumFractionDigits: 2 })}%`;
  const width = Math.min(100, usagePercentage);
  return (
    <section class="card chart" aria-labelledby="usage">
      <h2 id="usage">Used in {month}</h2>
      <p>
        {isInstanceKey()
          ? `The busiest organization has used ${share} of its API calls for ${month}.`
          : `${share} of the API calls for ${month} are used.`}
      </p>
      <svg class="meter" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect class="rest" width="100" height="1" />
        <rect class={usagePercentage >= 80 ? 'bar nearly' : 'bar'} width={width} height="1" />
      </svg>
      <p class="axis-ticks" aria-hidden="true">
        <span>0%</span>
        <span>50%</span>
        <span>100% of the limit</span>
      </p>
      <Facts
        of={[
          ['API calls', apiCalls.toLocaleString('en')],
          ['Drafts written', draftsGenerated.toLocaleString('en')],
          ['Publications', publications.toLocaleString('en')],
          ['Releases published', publishedReleases.toLocaleString('en')],
        ]}
      />
    </section>
  );
}
