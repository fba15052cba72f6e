//! Tables of cases: all rows are looked at, and all that fail are shown, so that one change of the code is seen whole.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Checks each row. Each that fails says why at once, as any assertion does; then the test fails with the list of them.
pub fn each<T: Debug>(rows: impl IntoIterator<Item = T>, mut check: impl FnMut(&T)) {
    let mut count = 0;
    let mut failed = Vec::new();
    for row in rows {
        count += 1;
        if let Err(cause) = catch_unwind(AssertUnwindSafe(|| check(&row))) {
            let why = cause.downcast_ref::<String>().map(String::as_str);
            let why = why.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or("?");
            failed.push(format!("{row:?}:\n  {}", why.replace('\n', "\n  ")));
        }
    }
    assert!(failed.is_empty(), "{} of {count} rows failed:\n{}", failed.len(), failed.join("\n"));
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::each;

    #[test]
    fn all_rows_that_fail_are_named() {
        let failed = catch_unwind(|| each([1, 2, 3], |row| assert_eq!(*row % 2, 0, "row {row}")));
        let text = *failed.expect_err("two rows fail").downcast::<String>().expect("a text");
        assert!(text.starts_with("2 of 3 rows failed:\n1:\n"), "{text}");
        assert!(text.contains("row 1") && text.contains("row 3") && !text.contains("row 2"), "{text}");
    }

    #[test]
    fn a_table_in_order_passes() {
        each([2, 4], |row| assert_eq!(*row % 2, 0));
    }
}
