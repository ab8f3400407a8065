/** A table of a list, with the way to its other pages. */
import type { ComponentChildren, JSX } from 'preact';
import { Pager, type Pages } from './pager.tsx';

/**
 * @param hasActions whether the rows end with a column of buttons
 * @param pages which part of the list is shown; without it, the whole list
 */
export function Table({
  columns,
  hasActions = false,
  pages,
  children,
}: {
  columns: readonly string[];
  hasActions?: boolean;
  pages?: Pages;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <>
      <div class="table-frame">
        <table>
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              {hasActions && (
                <th scope="col">
                  <span class="hidden">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
      {pages && <Pager {...pages} />}
    </>
  );
}
