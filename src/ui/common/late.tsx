/** Parts of a page that are loaded when they are shown. */
import { type ComponentType, type ReactNode, useLayoutEffect, useState } from 'react';

/** A component that is not there yet; `waiting` is shown until it is. */
export interface Late<P extends object> {
  (props: P & { readonly waiting: ReactNode }): ReactNode;
  /** Loads it before it is shown; settles when it is there, or cannot be. */
  readonly begin: () => Promise<void>;
}

/**
 * Loads a component when it is shown for the first time, and shows it as soon as it is there: React's own `lazy` keeps what stands in for it
 * for 300 ms at least. A failure is thrown where it is shown, for the boundary around it.
 */
export function late<P extends object>(load: () => Promise<ComponentType<P>>): Late<P> {
  let there: ComponentType<P> | undefined;
  let loading: Promise<ComponentType<P>> | undefined;
  const begin = (): Promise<ComponentType<P>> => {
    loading ??= load().then(
      (component) => (there = component),
      (error: unknown) => {
        // The next who asks tries again.
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
  function Shown({ waiting, ...props }: P & { readonly waiting: ReactNode }): ReactNode {
    const [state, set] = useState<{ readonly failure?: Error; readonly isThere: boolean }>({
      isThere: there !== undefined,
    });
    useLayoutEffect(() => {
      if (state.isThere) return;
      let isShown = true;
      begin().then(
        () => {
          if (isShown) set({ isThere: true });
        },
        (failure: unknown) => {
          if (isShown)
            set({ isThere: false, failure: failure instanceof Error ? failure : new Error(String(failure)) });
        },
      );
      return () => {
        isShown = false;
      };
    }, [state.isThere]);
    if (state.failure !== undefined) throw state.failure;
    const Component = there;
    return Component === undefined ? waiting : <Component {...(props as unknown as P)} />;
  }
  return Object.assign(Shown, {
    begin: async () => {
      try {
        await begin();
      } catch {
        // Told where it is shown.
      }
    },
  });
}
