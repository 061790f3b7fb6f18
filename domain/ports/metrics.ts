/** Label values by label name. */
export type Labels = Readonly<Record<string, string>>;

/** Numbers for Prometheus. Asking twice for one name gives the same metric; names are listed in docs/operating.md. */
export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): { add(by?: number, labels?: Labels): void };
  gauge(name: string, help: string, labels?: readonly string[]): { set(value: number, labels?: Labels): void };
  /** Observes seconds. Default buckets: .005 .01 .025 .05 .1 .25 .5 1 2.5 5 10. */
  histogram(name: string, help: string, labels?: readonly string[]): { observe(seconds: number, labels?: Labels): void };
}
