! Regions of a program for Panto's tracer: names for parts of it.
!
!     use panto
!     call panto_region_begin("solve")
!     ...
!     call panto_region_end()
!
! Under `panto trace` the beginning and the end are recorded, and timelines and profiles show the
! region. Without the tracer both subroutines do nothing. Compile this file with the program: there
! is no library to link (with a glibc before 2.34, add -ldl).
module panto
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: panto_region_begin, panto_region_end

    abstract interface
        subroutine begin_function(name) bind(c)
            import :: c_char
            character(kind=c_char), intent(in) :: name(*)
        end subroutine
        subroutine end_function() bind(c)
        end subroutine
    end interface

    interface
        function dlsym(handle, symbol) bind(c, name="dlsym")
            import :: c_char, c_funptr, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: symbol(*)
            type(c_funptr) :: dlsym
        end function
    end interface

    logical :: is_known = .false.
    procedure(begin_function), pointer :: begin_region => null()
    procedure(end_function), pointer :: end_region => null()

contains

    ! Looks the tracer's functions up; a null handle is RTLD_DEFAULT.
    subroutine find()
        type(c_funptr) :: found
        found = dlsym(c_null_ptr, "panto_region_begin" // c_null_char)
        if (c_associated(found)) call c_f_procpointer(found, begin_region)
        found = dlsym(c_null_ptr, "panto_region_end" // c_null_char)
        if (c_associated(found)) call c_f_procpointer(found, end_region)
        is_known = .true.
    end subroutine

    ! Begins a region.
    subroutine panto_region_begin(name)
        character(len=*), intent(in) :: name
        if (.not. is_known) call find()
        if (associated(begin_region)) call begin_region(trim(name) // c_null_char)
    end subroutine

    ! Ends the innermost region.
    subroutine panto_region_end()
        if (.not. is_known) call find()
        if (associated(end_region)) call end_region()
    end subroutine
end module
