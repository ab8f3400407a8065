/**
 * A chart of weeks. The week under the pointer is described above the chart. With the keyboard, the chart is one stop,
 * and the arrow keys move from week to week.
 */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { type Point, scaleEnd } from '../../text/statistics.ts';

/** Width of a week, and height of the chart, in units of the drawing. The drawing is stretched to the card. */
const [weekWidth, height] = [10, 100];

interface Props {
  title: string;
  sentence: string;
  points: readonly Point[];
  /** Writes the value of a week. */
  write: (value: number) => string;
  /** Writes a number at the axis. */
  tick: (value: number) => string;
  /** What is written for a week without a value. */
  none?: string;
  /** What is written instead of the chart if no week has a value. */
  empty?: string;
  isLine?: boolean;
  /** End of the scale; without it, the scale fits the values. */
  end?: number;
  /** The ticks are round numbers of this unit. */
  unit?: number;
}

export function Chart({
  title,
  sentence,
  points,
  write,
  tick,
  none = 'none',
  empty,
  end,
  unit = 1,
  isLine,
}: Props): JSX.Element {
  const id = useId();
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const last = points.length - 1;
  const values = points.flatMap(({ value }) => value ?? []);
  const top = end ?? unit * scaleEnd(Math.max(0, ...values) / unit);
  const describe = (at: number): string => {
    const { name, value } = points[at] as Point;
    return `Week of ${name}: ${value === null ? none : write(value)}${at === last ? ' so far' : ''}`;
  };
  const move = (event: KeyboardEvent): void => {
    const at = chosen ?? last;
    const moved = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: last }[
      event.key
    ];
    if (moved === undefined) return;
    event.preventDefault();
    setChosen(Math.max(0, Math.min(last, moved)));
  };
  const point = ({ currentTarget, clientX }: JSX.TargetedPointerEvent<HTMLElement>): void => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setChosen(Math.max(0, Math.min(last, Math.floor(((clientX - left) / width) * points.length))));
  };
  return (
    <section class="card chart" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p>{values.length === 0 && empty !== undefined ? empty : chosen === undefined ? sentence : describe(chosen)}</p>
      {(values.length > 0 || empty === undefined) && (
        <>
          <div class="plot">
            <p class="y-ticks" aria-hidden="true">
              {[top, top / 2, 0].map((value) => (
                <span key={value}>{tick(value)}</span>
              ))}
            </p>
            <div
              class="drawing"
              role="slider"
              tabIndex={0}
              aria-label={`${title}, by week`}
              aria-valuemin={1}
              aria-valuemax={points.length}
              aria-valuenow={(chosen ?? last) + 1}
              aria-valuetext={describe(chosen ?? last)}
              onKeyDown={move}
              onFocus={() => setChosen((before) => before ?? last)}
              onBlur={() => setChosen(undefined)}
              onPointerMove={point}
              onPointerLeave={() => setChosen(undefined)}
            >
              <svg viewBox={`0 0 ${points.length * weekWidth} ${height}`} preserveAspectRatio="none" aria-hidden="true">
                {[0, height / 2, height].map((y) => (
                  <path key={y} class="grid" d={`M0 ${y}H${points.length * weekWidth}`} />
                ))}
                {chosen !== undefined && (
                  <rect class="chosen" x={chosen * weekWidth} width={weekWidth} height={height} />
                )}
                {isLine ? <Line points={points} top={top} /> : <Bars points={points} top={top} />}
              </svg>
            </div>
          </div>
          <p class="axis-ticks x-ticks" aria-hidden="true">
            {[0, Math.floor(points.length / 2), last].map((at) => (
              <span key={at}>{points[at]?.name}</span>
            ))}
          </p>
          <details>
            <summary>Show as table</summary>
            <div class="table-frame">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Week of</th>
                    <th scope="col">{title}</th>
                  </tr>
                </thead>
                <tbody>
                  {points.map(({ name, value }) => (
                    <tr key={name}>
                      <th scope="row">{name}</th>
                      <td>{value === null ? none : write(value)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </details>
        </>
      )}
    </section>
  );
}

interface Drawn {
  points: readonly Point[];
  top: number;
}

function Bars({ points, top }: Drawn): JSX.Element {
  return (
    <>
      {points.map(({ name, value }, i) => {
        const tall = ((value ?? 0) / top) * height;
        const isLast = i === points.length - 1;
        return (
          <rect
            key={name}
            class={isLast ? 'bar open' : 'bar'}
            x={i * weekWidth + 1.5}
            y={height - tall}
            width={weekWidth - 3}
            height={tall}
          />
        );
      })}
    </>
  );
}

/** Weeks without a value interrupt the line. */
function Line({ points, top }: Drawn): JSX.Element {
  const places = points.map(({ value }, i) =>
    value === null ? undefined : `${(i + 0.5) * weekWidth} ${height - (value / top) * height}`,
  );
  const path = places.map((place, i) => place && `${places[i - 1] === undefined ? 'M' : 'L'}${place}`).join('');
  return (
    <>
      <path class="line" d={path} />
      <path class="dots" d={places.map((place) => (place ? `M${place}h0` : '')).join('')} />
    </>
  );
}
