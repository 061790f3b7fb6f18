import { ViewStale } from '../domain/errors.ts';
import type { ViewId, ViewStore } from '../domain/ports/index.ts';

/** The build that readers see. Asked for each time: a build that was kept in mind would go on answering after a switch. */
export async function liveView(views: ViewStore, name: string): Promise<ViewId> {
  const live = await views.live(name);
  // Not built yet is not empty.
  if (!live) throw ViewStale({ view: name });
  return live;
}
