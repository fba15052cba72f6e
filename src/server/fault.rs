//! Wrong uses of memory, made on purpose: the tests show that valgrind finds each. Only with the feature `faults`.

use std::hint::black_box;

/// Commits the fault of this name. False if there is none.
pub fn commit(name: &[u8]) -> bool {
    match name {
        b"READ-AFTER-FREE" => {
            let block = black_box(vec![7_u8; 64]);
            let start = block.as_ptr();
            drop(block);
            // SAFETY: none: that is the fault. The page stays mapped, so that only a checker sees it.
            black_box(unsafe { start.read_volatile() });
        }
        b"WRITE-OUT-OF-BOUNDS" => {
            let mut block = black_box(vec![7_u8; 64]);
            // SAFETY: none: that is the fault. The allocator's padding takes the byte, so that only a checker sees it.
            let end = unsafe { block.as_mut_ptr().add(64) };
            // SAFETY: as above.
            unsafe { end.write_volatile(7) };
            drop(black_box(block));
        }
        b"LEAK" => std::mem::forget(black_box(vec![7_u8; 8])),
        _ => return false,
    }
    true
}
