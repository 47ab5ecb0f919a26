export const errorOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => Promise.reject(new Error("there was no error")),
    (error: Error) => error,
  );
