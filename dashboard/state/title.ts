/** Holds the title of the open screen, which is announced to screen readers. */
import { signal } from '@preact/signals';

export const screenTitle = signal('');
